"""Checks of A5, A6 and A8: perturbed scores, with all small perturbation patterns, adversarial and giant ones."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from checker.attention import Row, Tie
from checker.quantity import tv_between, tv_perturbed

from .claims import StatedClaim
from .grids import FEW_RATIOS, GIANT_LENGTHS, GIANT_RATIOS, Plan, explicit_multisets, moved, sign_patterns
from .item import Item, Items, Mode, at

ONE = Fraction(1)
ETAS = tuple(Fraction(text) for text in ("1/50", "1/3"))


def _pairs(plan: Plan) -> Iterator[tuple[str, Row, Row, Fraction, Fraction]]:
    """(kind, row, perturbed row, eta, tau)."""
    for row in explicit_multisets(plan.max_n):
        kind = "lattice, every pattern" if row.n <= 3 else "lattice, adversarial"
        for pattern in sign_patterns(row.n):
            for eta in ETAS if row.n <= 3 else ETAS[1:]:
                for ratio in FEW_RATIOS if row.n <= 4 else FEW_RATIOS[1:2]:
                    yield kind, row, moved(row, pattern, eta), eta, 1 / ratio
    for n in GIANT_LENGTHS:
        row = Row.multiset({ONE: n // 3, Fraction(0): n - n // 3})
        for pattern in ((1, -1), (-1, 1), (1, 1)):
            for eta in ETAS:
                yield "giant n", row, moved(row, pattern, eta), eta, ONE


def _tight_pairs() -> Iterator[tuple[str, Row, Row, Fraction, Fraction]]:
    """Pairs of rows that attain A5: m positions at 0 move up, m positions eta above them move down, masses 1 : r."""
    for m in (1, 2, 3, *(n // 2 for n in GIANT_LENGTHS)):
        for eta in (*ETAS, Fraction(7)):
            for ratio in FEW_RATIOS:
                row = Row((Fraction(0), eta), (m, m))
                kind = "worst case" if m <= 3 else "worst case, giant n"
                yield kind, row, moved(row, (1, -1), eta), eta, 1 / ratio


def a5_bound(claim: StatedClaim, plan: Plan) -> Items:
    """TV of two softmaxes is at most tanh(eta/(2 tau)); the lattice pairs are not tight, so strictly below."""
    for kind, row, other, eta, tau in _pairs(plan):
        yield _between(claim, kind, row, other, eta, tau, Mode.DECIDED)
    for kind, row, other, eta, tau in _tight_pairs():
        yield _between(claim, kind, row, other, eta, tau, Mode.EITHER)


def a5_tight(claim: StatedClaim, plan: Plan) -> Items:
    """TV equals tanh(eta/(2 tau)) for a set of mass 1/(r + 1)."""
    del plan
    for kind, row, other, eta, tau in _tight_pairs():
        yield _between(claim, kind, row, other, eta, tau, Mode.EQUAL)


def a5_linear(claim: StatedClaim, plan: Plan) -> Items:
    """The attained TV is at most eta/(2 tau)."""
    del plan
    for kind, row, other, eta, tau in _tight_pairs():
        yield _between(claim, kind, row, other, eta, tau, Mode.DECIDED)


def _between(claim: StatedClaim, kind: str, row: Row, other: Row, eta: Fraction, tau: Fraction, mode: Mode) -> Item:
    bound = claim.bound_at(eta=eta, tau=tau)
    witness = at(scores=row, perturbed=other, eta=eta, tau=tau)
    return Item(kind, tv_between(other, row, tau), claim.op, bound, mode, witness)


def _tieless(plan: Plan) -> Iterator[tuple[str, Row, Row, Fraction, Fraction]]:
    """(kind, row, perturbed row, gamma, eta) with k = 1 and eta < gamma/2."""
    for row in explicit_multisets(plan.max_n, smallest=2):
        if row.k != 1 or row.gap is None:
            continue
        for part in (Fraction(1, 10), Fraction(49, 100)):
            eta = part * row.gap
            for pattern in sign_patterns(row.n):
                kind = "lattice, every pattern" if row.n <= 3 else "lattice, adversarial"
                yield kind, row, moved(row, pattern, eta), row.gap, eta
    for n in GIANT_LENGTHS:
        row = Row.multiset({Fraction(0): 1, -ONE: n - 1})
        for pattern in ((-1, 1), (1, -1), (0, 1)):
            yield "giant n", row, moved(row, pattern, Fraction(1, 3)), ONE, Fraction(1, 3)


def a6_choice(claim: StatedClaim, plan: Plan) -> Items:
    """The perturbed row has the same maximal position, with gap at least gamma - 2 eta (all exact)."""
    for kind, row, other, gamma, eta in _tieless(plan):
        same = [a.weight for a in row.hard(Tie.AVERAGE)] == [b.weight for b in other.hard(Tie.AVERAGE)]
        gap = other.gap if same and other.gap is not None else Fraction(-1)
        witness = at(scores=row, perturbed=other, gamma=gamma, eta=eta)
        yield Item(kind, gap - (gamma - 2 * eta), claim.op, Fraction(0), Mode.DECIDED, witness)


def _attains_a6(row: Row, other: Row, gamma: Fraction, eta: Fraction) -> bool:
    """The maximum falls by eta and every other score, exactly gamma below, rises by eta."""
    return all(
        (new == old - eta) if old == row.top else (row.top - old == gamma and new == old + eta)
        for old, new in zip(row.scores, other.scores, strict=True)
    )


def a6_bound(claim: StatedClaim, plan: Plan) -> Items:
    """TV against the unperturbed hard choice is at most the gap bound at gamma - 2 eta."""
    yield from _a6(claim, plan, only_tight=False)


def a6_tight(claim: StatedClaim, plan: Plan) -> Items:
    """The bound of A6 is attained."""
    yield from _a6(claim, plan, only_tight=True)


def _a6(claim: StatedClaim, plan: Plan, only_tight: bool) -> Items:
    for kind, row, other, gamma, eta in _tieless(plan):
        tight = _attains_a6(row, other, gamma, eta)
        if only_tight and not tight:
            continue
        for ratio in FEW_RATIOS if row.n <= 100 else GIANT_RATIOS:
            tau = gamma / ratio
            bound = claim.bound_at(n=row.n, gamma=gamma, eta=eta, tau=tau)
            mode = Mode.EQUAL if only_tight else (Mode.EITHER if tight else Mode.DECIDED)
            witness = at(scores=row, perturbed=other, gamma=gamma, eta=eta, tau=tau)
            yield Item(kind, tv_perturbed(row, other, tau), claim.op, bound, mode, witness)


def _ties(plan: Plan) -> Iterator[tuple[str, Row, Row, Fraction, Fraction, Fraction, bool]]:
    """(kind, row, perturbed row, gamma, eta, tau, whether it is one of the patterns that may attain A8)."""
    for row in explicit_multisets(plan.max_n, smallest=2):
        kind = "lattice, every pattern" if row.n <= 3 else "lattice, adversarial"
        gamma = row.gap if row.gap is not None else ONE
        for pattern in sign_patterns(row.n):
            eta = ETAS[0] if row.n > 3 else ETAS[1]
            for ratio in FEW_RATIOS if row.n <= 3 else FEW_RATIOS[1:2]:
                extreme = 0 not in pattern and all(
                    score == row.top or (row.top - score == gamma and sign == 1)
                    for score, sign in zip(row.scores, pattern, strict=True)
                )
                yield kind, row, moved(row, pattern, eta), gamma, eta, gamma / ratio, extreme
    for n in (*range(2, plan.max_n + 1), *GIANT_LENGTHS):
        for k in range(1, min(n, 5)):
            for raised in range(k + 1):
                groups = [(Fraction(0), raised, 1), (Fraction(0), k - raised, -1), (-ONE, n - k, 1)]
                kept = [group for group in groups if group[1]]
                row = Row(tuple(g[0] for g in kept), tuple(g[1] for g in kept))
                for eta in ETAS:
                    other = moved(row, [g[2] for g in kept], eta)
                    for ratio in FEW_RATIOS if n <= 100 else GIANT_RATIOS:
                        kind = "adversarial" if n <= 100 else "adversarial, giant n"
                        yield kind, row, other, ONE, eta, 1 / ratio, True


def a8_bound(claim: StatedClaim, plan: Plan) -> Items:
    """TV against average-hard attention is at most the maximum of F(a)."""
    for kind, row, other, gamma, eta, tau, extreme in _ties(plan):
        mode = Mode.EITHER if extreme else Mode.DECIDED
        yield _against_hard(claim, kind, row, other, gamma, eta, tau, mode)


def _against_hard(
    claim: StatedClaim, kind: str, row: Row, other: Row, gamma: Fraction, eta: Fraction, tau: Fraction, mode: Mode
) -> Item:
    bound = claim.bound_at(n=row.n, k=row.k, gamma=gamma, eta=eta, tau=tau)
    witness = at(scores=row, perturbed=other, gamma=gamma, eta=eta, tau=tau)
    return Item(kind, tv_perturbed(row, other, tau), claim.op, bound, mode, witness)


def a8_simple(claim: StatedClaim, plan: Plan) -> Items:
    """TV is at most tanh(eta/(2 tau)) plus the gap bound, on the rows that attain F(a)."""
    for kind, row, other, gamma, eta, tau, extreme in _ties(plan):
        if extreme:
            yield _against_hard(claim, kind, row, other, gamma, eta, tau, Mode.DECIDED)


def a8_attained(claim: StatedClaim, plan: Plan) -> Items:
    """For each n and k one of the raised rows has TV equal to the maximum: the one with the largest TV."""
    for n in (*range(2, plan.max_n + 1), *GIANT_LENGTHS):
        for k in range(1, min(n, 5)):
            for eta in ETAS:
                for ratio in FEW_RATIOS if n <= 100 else GIANT_RATIOS:
                    yield _best_raised(claim, n, k, eta, 1 / ratio)


def _best_raised(claim: StatedClaim, n: int, k: int, eta: Fraction, tau: Fraction) -> Item:
    rows = []
    for raised in range(k + 1):
        groups = [(Fraction(0), raised, 1), (Fraction(0), k - raised, -1), (-ONE, n - k, 1)]
        kept = [group for group in groups if group[1]]
        row = Row(tuple(g[0] for g in kept), tuple(g[1] for g in kept))
        rows.append((row, moved(row, [g[2] for g in kept], eta)))
    # The largest by its midpoint at 256 bits; a wrong choice could only make the check fail.
    row, other = max(rows, key=lambda pair: tv_perturbed(pair[0], pair[1], tau).ball(256).mid())
    kind = "worst case" if n <= 100 else "worst case, giant n"
    return _against_hard(claim, kind, row, other, ONE, eta, tau, Mode.EQUAL)
