"""The heads a temperature schedule can be asked for: the stated bound of each, its closed inverse, and the claims.

Every bound here is a claim's right-hand side, a function of x = c * rate / (n^power * tau) and of the length: with
scores of scale c (unbounded embedding, power 0) the temperature is tau, with scores divided by n^power (bounded
embedding) it is n^power times tau on the original scores (C1.transfer). A bound is at most eps exactly if x >= log R,
where R is the head's `ratio`; that this x suffices is derived in checker/schedule_proof.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import sympy as sp

from proofs.a_softmax_gap import a2_gap
from proofs.a_softmax_gap.row import eps, gamma, k, n, tau
from proofs.b_positional import b1_linear, b2_both_sides, b3_lookup
from proofs.b_positional.b6_predicate import c
from proofs.props import substitute

noise = b3_lookup.noise
ratio = sp.Symbol("R", real=True)
q = sp.Symbol("q", real=True)

CUBIC = eps * ratio**3 - 2 * (1 - eps) * ratio**2 - eps
"""The polynomial whose positive root is the ratio of a lookup (R = 1/q at equality in B3.closed)."""

# Cardano without cancellation: with P = 2(1-eps)/eps, u^3 = 1/2 + sqrt(1/4 + P^3/27) and v = P/(3u), the positive root
# of R^3 = P R^2 + 1 is u^2 + u v + v^2 (checked in proofs by rule, see schedule_proof.cardano).
_P = 2 * (1 - eps) / eps
_SQUARE = (sp.Rational(1, 2) + sp.sqrt(sp.Rational(1, 4) + _P**3 / 27)) ** sp.Rational(2, 3)
CARDANO = _SQUARE + _P / 3 + _P**2 / (9 * _SQUARE)

_ONE_SIDE = substitute(b1_linear.BOUND, {gamma: c})


@dataclass(frozen=True)
class Head:
    """A head type as data.

    rate, power  x = c * rate / (n^power * tau); power is that of a bounded embedding
    ratio        R with: x >= log R suffices; for a lookup the Cardano root of CUBIC
    bound        the bound behind the closed form, as a function of c and tau (x = c/tau, or noise enters with it)
    sharper      a sharper bound, a function of n as well where `lengths`, without a closed inverse; or None
    options      the options it takes besides eps and the regime; needed: those without a default
    claims       claims behind `bound`, per regime in addition; behind `sharper`; where the sharper value is exact
    sharper_text, sharper_latex  the sharper bound in terms of q, and the definition of what else it mentions
    """

    name: str
    text: str
    rate: sp.Expr
    power: int
    ratio: sp.Expr
    bound: sp.Expr
    claims: tuple[str, ...]
    scaled_claims: tuple[str, ...] = ("C1.transfer",)
    sharper: sp.Expr | None = None
    lengths: bool = False
    sharper_claims: tuple[str, ...] = ()
    exact_claims: tuple[str, ...] = ()
    sharper_text: tuple[str, str] = ("", "")
    sharper_latex: tuple[str, str] = ("", "")
    options: tuple[str, ...] = ()
    needed: tuple[str, ...] = ()

    @property
    def cubic(self) -> bool:
        """Whether the ratio is the root of CUBIC instead of a rational function."""
        return bool(self.ratio == CARDANO)


_SIDE_TEXT, _SIDE_LATEX = ("q*(1 - q^(n - 1))/(1 - q^n)", ""), (r"\frac{q (1 - q^{n-1})}{1 - q^n}", "")
_ALL = (
    Head("constant-gap", "scores c s with gap at least gamma in s and k maxima", gamma, 0,
         (n - k) * (1 - eps) / (k * eps), substitute(a2_gap.BOUND, {gamma: c}),
         ("A3.sufficient", "A3.always"), (), options=("gamma", "k", "spread"), needed=("gamma",)),
    Head("linear", "scores that fall by c gamma per position, all positions on one side", gamma, 1, 1 / eps,
         sp.exp(-c / tau), ("B1.left", "B1.right", "B1.below"), sharper=_ONE_SIDE, lengths=True,
         sharper_claims=("B1.left", "B1.right"), exact_claims=("B1.tight",), sharper_text=_SIDE_TEXT,
         sharper_latex=_SIDE_LATEX, options=("gamma",)),
    Head("linear-both", "scores that fall by c gamma per position on both sides", gamma, 1, (2 - eps) / eps,
         substitute(b2_both_sides.LIMIT, {gamma: c}), ("B2.bound", "B2.below"),
         sharper=substitute(b2_both_sides.BOUND, {gamma: c}), lengths=True, sharper_claims=("B2.bound",),
         exact_claims=("B2.tight",), options=("gamma",),
         sharper_text=("x/(1 + x)", "x = q*(2 - q^l - q^r)/(1 - q), l + r = n - 1, |l - r| <= 1, "),
         sharper_latex=(r"\frac{x}{1+x}",
                        r"x = \frac{q (2 - q^l - q^r)}{1 - q},\ l + r = n - 1,\ |l - r| \le 1,\ ")),
    Head("lookup", "scores -c (j - a)^2 over the positions j", sp.S.One, 2, CARDANO, b3_lookup.CLOSED,
         ("B3.closed",), ("C1.lookup",), sharper=(b3_lookup.THETA - 1) / b3_lookup.THETA,
         sharper_claims=("B3.theta",), sharper_text=("(theta - 1)/theta", "theta = theta_3(0, q), "),
         sharper_latex=(r"\frac{\theta - 1}{\theta}", r"\theta = \theta_3(0, q),\ ")),
    Head("noisy-lookup", "scores -c (j - a - eta)^2, |eta| <= noise", 1 - 2 * noise, 2, CARDANO, b3_lookup.NOISY_BOUND,
         ("B4.bound",), sharper=b3_lookup.NOISY_BOUND, sharper_claims=("B4.bound",),
         sharper_text=("Z/(1 + Z)", "Z = 2*q^(1 - 2*noise)/(1 - q^(3 - 2*noise)), "),
         sharper_latex=(r"\frac{Z}{1+Z}", r"Z = 2 q^{1-2\mathrm{noise}} / (1 - q^{3-2\mathrm{noise}}),\ "),
         options=("noise",), needed=("noise",)),
    Head("rightmost", "scores c (2i chi_j + j), j <= i: the rightmost true position", sp.S.One, 1, 1 / eps,
         sp.exp(-c / tau), ("B6.rightmost", "B6.rightmost-none", "B6.below"), ("C1.rightmost", "C1.transfer"),
         _ONE_SIDE, True, ("B6.rightmost", "B6.rightmost-none"), ("B1.tight",), _SIDE_TEXT, _SIDE_LATEX, ("spread",)),
    Head("leftmost", "scores c (2(n - i + 1) chi_j - j), j >= i: the leftmost true position", sp.S.One, 1, 1 / eps,
         sp.exp(-c / tau), ("B6.leftmost", "B6.leftmost-none", "B6.below"), ("C1.transfer",),
         _ONE_SIDE, True, ("B6.leftmost", "B6.leftmost-none"), ("B1.tight",), _SIDE_TEXT, _SIDE_LATEX, ("spread",)),
)  # fmt: skip

HEADS: Mapping[str, Head] = MappingProxyType({head.name: head for head in _ALL})
