"""Checks of D2 and D3: the heads for yesterday, next, since and until on every word of bits, with BOS and EOS.

A word is a tuple of Boolean values at positions 1..n; BOS at 0 and EOS at n + 1 carry 0. Truth values come from the
meaning of the operators, "some j at which psi holds, and phi from there on", not from their recursion.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction

from checker.attention import Row
from checker.decide import Exact
from checker.quantity import attention_output, tv
from checker.sides import AbsoluteDifference

from .claims import StatedClaim
from .grids import Plan
from .item import Item, Items, Mode, at
from .rational import row, value

ONE = Fraction(1)
RATES = tuple(Fraction(text) for text in ("0.1", "0.7", "2"))
"""c/tau."""
SCALES = (ONE, Fraction(3, 2))
LONG = (40, 200)
LONGEST_WORDS = 4

Bits = tuple[int, ...]


def text(bits: Bits) -> str:
    """A row of bits in one word."""
    return "".join(map(str, bits))


def bit_rows(longest: int, shortest: int = 1) -> Iterator[Bits]:
    """Every row of bits of these lengths, shortest first."""
    for n in range(shortest, longest + 1):
        yield from itertools.product((0, 1), repeat=n)


def neighbour(claim: StatedClaim, plan: Plan) -> Items:
    """D2: scores c j over positions 0..n-1 (previous), or -c j over i+1..i+n (next)."""
    previous = "previous" in claim.name
    for n in [*range(1, plan.max_n + 1), *LONG]:
        places = range(n) if previous else range(5, n + 5)
        for scale in SCALES:
            scores = Row.explicit([scale * j if previous else -scale * j for j in places])
            m = n if previous else 1
            if not claim.name.endswith("output"):
                yield from _distances(claim, scores, m, scale, "every length", at(n=n, c=scale))
            elif n <= plan.max_n:
                for bits in itertools.product((0, 1), repeat=n):
                    yield from _outputs(claim, scores, bits, bits[m - 1], scale, at(values=text(bits), c=scale))


def _distances(
    claim: StatedClaim, scores: Row, m: int, scale: Fraction, kind: str, witness: tuple[tuple[str, object], ...]
) -> Items:
    """The hard choice is m, and TV is below the bound."""
    chosen = [j for j, score in enumerate(scores.scores, start=1) if score == scores.top]
    yield Item(kind, Fraction(chosen != [m]), "<=", Fraction(0), Mode.DECIDED, (*witness, ("choice", m)))
    for rate in RATES:
        bound = claim.bound_at(c=scale, tau=scale / rate)
        yield Item(kind, tv(scores, scale / rate), claim.op, bound, Mode.DECIDED, (*witness, ("tau", scale / rate)))


def _outputs(
    claim: StatedClaim, scores: Row, values: Bits, truth: int, scale: Fraction, witness: tuple[tuple[str, object], ...]
) -> Items:
    """The output of the head is within the bound of the truth value."""
    for rate in RATES:
        tau = scale / rate
        off = AbsoluteDifference(attention_output(scores, tau, values), Exact(truth))
        bound = claim.bound_at(c=scale, tau=tau)
        yield Item("every row of values", off, claim.op, bound, Mode.DECIDED, (*witness, ("tau", tau)))


def predicate(claim: StatedClaim, plan: Plan) -> Items:
    """D3.rightmost, D3.leftmost: every row of chi, weights A from the number of visible positions on."""
    right, none = "rightmost" in claim.name, claim.name.endswith("none")
    for chi in bit_rows(plan.max_n):
        if any(chi) == none:
            continue
        n = len(chi)
        true = [j for j, holds in enumerate(chi, start=1) if holds] or [n if right else 1]
        for weight in (n, 2 * n):
            scores = head_scores(chi, weight, right)
            yield from _distances(
                claim, scores, true[-1] if right else true[0], ONE, "every predicate", at(chi=text(chi), A=weight)
            )


def head_scores(chi: Bits, weight: int, right: bool) -> Row:
    """The scores of B6 at c = 1 over the visible positions, listed as 1..n."""
    return Row.explicit([Fraction(weight * holds + (j if right else -j)) for j, holds in enumerate(chi, start=1)])


def since(phi: Bits, psi: Bits) -> int:
    """phi S psi at the last position: psi at some j, and phi at all later positions."""
    n = len(phi)
    return int(any(psi[j] and all(phi[j + 1 : n]) for j in range(n)))


def until(phi: Bits, psi: Bits) -> int:
    """phi U psi at the first position: psi at some j, and phi at all earlier positions."""
    return int(any(psi[j] and all(phi[:j]) for j in range(len(phi))))


def words(longest: int) -> Iterator[tuple[Bits, Bits]]:
    """Every pair of rows of bits of the same length."""
    for n in range(1, longest + 1):
        for phi in itertools.product((0, 1), repeat=n):
            for psi in itertools.product((0, 1), repeat=n):
                yield phi, psi


def operands(claim_name: str, plan: Plan) -> Iterator[tuple[Bits, Bits, Bits, int, int]]:
    """(phi, psi, chi, m, truth) over the visible positions: with BOS or EOS, or as the claim needs where chi is false.

    m is the position whose value is read: the rightmost (leftmost) true one, else the last (first) one.
    """
    right, none = "since" in claim_name, "none" in claim_name
    for phi_word, psi_word in words(min(plan.max_n, LONGEST_WORDS)):
        phi, psi = phi_word, psi_word
        if not none:  # BOS in front of the word, or EOS behind it
            phi, psi = ((0, *phi), (0, *psi)) if right else ((*phi, 0), (*psi, 0))
        chi = tuple(int(not a or b) for a, b in zip(phi, psi, strict=True))
        if any(chi) == none:
            continue
        true = [j for j, holds in enumerate(chi, start=1) if holds] or [len(chi) if right else 1]
        truth = since(phi, psi) if right else until(phi, psi)
        yield phi, psi, chi, true[-1] if right else true[0], truth


def semantics(claim: StatedClaim, plan: Plan) -> Items:
    """D3.since, D3.until: the truth value from the meaning of the operator against the value at one position."""
    for phi, psi, _chi, m, truth in operands(claim.name, plan):
        bound = value(claim.bound, {"m": m, "n": len(phi)}, {"psi": row(psi), "phi": row(phi)})
        yield Item("every word", Fraction(truth), claim.op, bound, Mode.EQUAL, at(phi=text(phi), psi=text(psi)))


def dual(claim: StatedClaim, plan: Plan) -> Items:
    """D3.dual: 1 - H phi at every position of every word, from "phi so far"."""
    for phi in bit_rows(plan.max_n):
        holds = [int(all(phi[:j])) for j in range(len(phi) + 1)]
        functions = {"phi": row(phi), "t": holds.__getitem__}
        for j in range(1, len(phi) + 1):
            bound = value(claim.bound, {"i": j}, functions)
            yield Item("every word", Fraction(not holds[j]), claim.op, bound, Mode.EQUAL, at(phi=text(phi), position=j))


def head(claim: StatedClaim, plan: Plan) -> Items:
    """D3.since-head, D3.until-head: the output of the head on every word, with the least weight that is allowed."""
    right = "since" in claim.name
    for phi, psi, chi, _m, truth in operands(claim.name, plan):
        scores = head_scores(chi, len(chi), right)
        witness = at(phi=text(phi), psi=text(psi))
        if claim.op != "=":
            yield from _outputs(claim, scores, psi, truth, ONE, witness)
            continue
        # chi holds nowhere: the output is exactly the truth value
        bound = value(claim.bound, {"n": len(phi)}, {"t": ((truth,) * (len(phi) + 1)).__getitem__})
        for rate in RATES:
            output = attention_output(scores, 1 / rate, psi)
            yield Item("every word", output, claim.op, bound, Mode.EQUAL, (*witness, ("tau", 1 / rate)))
