"""Exact meaning of normal forms over batches of words, to compare them with formulas and with what weights compute."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from checker.logic import operators
from checker.logic.normal import Normal, Op, postorder
from checker.logic.operators import Table


def evaluate_normal(node: Normal, words: npt.ArrayLike, alphabet: Sequence[str]) -> Table:
    """The truth value of a normal form at every position of every word; arguments and errors as for `evaluate`."""
    table = operators.columns(words, len(alphabet))
    order = list(postorder(node))
    uses = Counter(part for inner in order for part in inner.parts)
    values: dict[Normal, Table] = {}
    for inner in order:
        values[inner] = _value(inner, [values[part] for part in inner.parts], table, alphabet)
        for part in inner.parts:
            uses[part] -= 1
            if not uses[part]:
                del values[part]
    return np.array(values[node].T, order="C")


def _value(node: Normal, parts: list[Table], words: operators.Columns, alphabet: Sequence[str]) -> Table:
    match node.op:
        case Op.SYMBOL:
            return operators.symbol(words, node.data, alphabet)
        case Op.POSITION:
            return operators.position(node.data, words.shape)
        case Op.TRUE:
            return np.ones(words.shape, dtype=bool)
        case Op.NOT:
            return ~parts[0]
        case Op.ALL:
            return np.asarray(np.logical_and.reduce(parts))
        case Op.YESTERDAY:
            return operators.shift(parts[0], 1)
        case Op.NEXT:
            return operators.shift(parts[0], -1)
        case Op.SINCE:
            return operators.since(*parts)
        case Op.UNTIL:
            return operators.until(*parts)
        case Op.REMAINDER:
            side, modulus, residue = node.data
            return operators.remainder(side, parts[0], modulus, residue)
        case Op.AT_LEAST:
            terms, constant = node.data
            coefficients, sides = zip(*terms, strict=True)
            return np.asarray(operators.linear(coefficients, sides, parts, constant) >= 0, dtype=bool)
    raise AssertionError(node.op)
