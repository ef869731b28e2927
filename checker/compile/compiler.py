"""Formulas to transformers with explicit rational weights, as a flat list of passes.

    normal form -> plan (layers, shared subformulas) -> names of directions -> heads (D2-D5) -> clean-up (D1) and
    layers -> temperature -> transformer

The same weights are a hard-attention transformer and, at the model's temperature, a softmax transformer that computes
the formula exactly, for words of every length (D6); `bounded` models are the ones for which this fails.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from checker.compile.guarantee import check_threshold
from checker.compile.heads import heads, table
from checker.compile.ledger import Entry, as_data, check_tau0, choose_tau0, largest, ledger
from checker.compile.names import END, WORD, Names, is_symbol, names
from checker.compile.pack import pack, uses_end
from checker.compile.plan import Plan, plan
from checker.compile.regime import Regime, embedding, predicate, residue, temperature, unit
from checker.compile.signals import HALF, ONE_, signal
from checker.errors import InputError
from checker.exact import show
from checker.logic.acceptance import Acceptance, choose_acceptance
from checker.logic.alphabet import check_alphabet, show_alphabet
from checker.logic.formula import Formula, symbols
from checker.logic.normal import Normal, Op
from checker.logic.normalise import normal
from checker.logic.text import short_text, to_text
from checker.position import Expression
from checker.transformer.model import Layer, Output, Transformer

DEFAULT_THRESHOLD = Fraction(1, 4)


def compile_formula(
    formula: Formula,
    alphabet: tuple[str, ...],
    *,
    regime: Regime | str = Regime.UNBOUNDED,
    acceptance: Acceptance | str | None = None,
    threshold: Fraction = DEFAULT_THRESHOLD,
    tau0: Fraction | None = None,
    name: str | None = None,
) -> Transformer:
    """Compile a formula; the logit at every word position is 1/2 where it holds and -1/2 where it does not (D6).

    acceptance: the position at which words are judged; must be stated if the formula has future operators.
    threshold: the clean-up threshold, 0 < threshold < 1/2. tau0: the temperature in units of score; 1/m with the least
    m if None. Raises InputError for symbols outside the alphabet, and, unless `bounded`, for a tau0 that is too high,
    with the head that needs less.
    """
    alphabet = check_alphabet(alphabet)
    chosen, judged = parse_regime(regime), choose_acceptance(formula, acceptance)
    if unknown := sorted(symbols(formula) - set(alphabet)):
        raise InputError(
            f"the symbol {show(unknown[0])} of the formula is not in the alphabet {show_alphabet(alphabet)}"
        )

    check_threshold(threshold)

    root = normal(formula)
    planned = plan(root, signs_by_head=chosen is not Regime.UNBOUNDED)
    named = names(planned, alphabet)
    made = heads(planned, named, unit(chosen, planned.has_lookup))
    layers = pack(planned, made, named, threshold)
    entries = ledger(planned, made, threshold)
    tau = choose_tau0(entries) if tau0 is None else tau0
    check_tau0([] if chosen is Regime.BOUNDED else entries, tau)

    weights = signal(root, named)
    positional = _positional(chosen, planned, named, layers, weights)
    tokens = {symbol: is_symbol(symbol, number) for number, symbol in enumerate(alphabet)}
    end = {END: ONE_} if uses_end(planned) else {}
    return Transformer(
        name=short_text(formula) if name is None else name,
        alphabet=alphabet,
        directions=(*tokens.values(), WORD, *end, *positional, *_written(layers)),
        embedding={symbol: {direction: ONE_, WORD: ONE_} for symbol, direction in tokens.items()},
        begin={},
        end=end,
        positional=positional,
        layers=layers,
        output=Output(weights, -HALF, judged.value),
        temperature=temperature(chosen, planned.has_lookup, tau),
        origin=_origin(formula, chosen, tau, threshold, planned, entries),
    )


def parse_regime(regime: Regime | str) -> Regime:
    """The regime of this name; InputError for others."""
    try:
        return Regime(regime)
    except ValueError:
        known = ", ".join(known.value for known in Regime)
        raise InputError(f"the regime is one of {known}, got {show(regime)}") from None


def _positional(
    regime: Regime, plan: Plan, names: Names, layers: tuple[Layer, ...], output: Mapping[str, Fraction]
) -> dict[str, Expression]:
    """Every positional direction that a weight refers to."""
    known = embedding(regime, plan.has_lookup)
    for node in plan.when:
        if isinstance(node, Normal) and node.op is Op.POSITION:
            known[names.bit[node]] = predicate(node.data)
        elif isinstance(node, Normal) and node.op is Op.REMAINDER:
            known[table(node)] = residue(*node.data[1:])
    used = {direction for form in (output, *_forms(layers)) for direction in form}
    return {direction: expression for direction, expression in known.items() if direction in used}


def _forms(layers: tuple[Layer, ...]) -> Iterator[Mapping[str, Fraction]]:
    """Every linear form over the residual stream."""
    for layer in layers:
        for head in layer.heads:
            yield from (*head.query, *head.key, *head.value.values())
        for part in layer.feed_forward:
            yield from (hidden.weights for hidden in part.hidden)


def _written(layers: tuple[Layer, ...]) -> Iterator[str]:
    """Every direction that a layer writes, each being written once."""
    for layer in layers:
        for head in layer.heads:
            yield from head.value
        for part in layer.feed_forward:
            yield from part.output


def _origin(
    formula: Formula, regime: Regime, tau: Fraction, threshold: Fraction, plan: Plan, entries: list[Entry]
) -> dict[str, Any]:
    try:
        text = to_text(formula)
    except InputError:  # too long, because of repeated parts
        text = None
    guaranteed = regime is not Regime.BOUNDED
    limit = largest(entries) if guaranteed else None
    return {
        "formula": text,
        "regime": regime.value,
        "guaranteed": guaranteed,
        "tau_0": show(tau),
        "largest tau_0": None if limit is None else limit.text,
        "threshold": show(threshold),
        "depth": plan.depth,
        "ledger": as_data(entries, tau if guaranteed else None),
    }
