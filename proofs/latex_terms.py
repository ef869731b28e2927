r"""Expressions and propositions as LaTeX.

An expression is printed with an estimate of its width, so that a fraction too wide for the page is set with a slash
instead of a bar and a long relation takes two lines; parentheses are never \left ... \right, which would forbid line
breaks between them. The new variable x' of a coefficient certificate is set as x with a small circle, since primes
belong to names: s2 is s', Z' is a sum.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import lru_cache

import sympy as sp
from sympy.core.function import AppliedUndef

from .certificate import Primed
from .latex_names import symbol_name, words
from .props import Each, MaxOver, Prop
from .terms import CACHED, Product, inside_bars, product, summand, summands

ADD, MUL, POWER, ATOM = range(4)
WIDEST_BAR = 62
"""Widest numerator or denominator, in letters, that is still set with a fraction bar."""
WIDEST_LINE = 62
"""Widest relation, in letters, that is set on one line."""
RELATIONS = {"=": "=", "<": "<", "<=": r"\le", ">": ">", ">=": r"\ge"}


@dataclass(frozen=True)
class Piece:
    """Printed mathematics: LaTeX source, estimated width in letters, how tightly it binds, how many bars high."""

    tex: str
    width: float
    binds: int = ATOM
    bars: int = 0


def expr_latex(expr: sp.Expr) -> str:
    """An expression in math mode."""
    return _show(sp.S(expr), False).tex


def prop_width(prop: Prop) -> float:
    """Estimated width of a proposition, in letters; more than WIDEST_LINE if it takes two lines."""
    rel = prop.rel if isinstance(prop, Each) else prop
    width = _show(rel.lhs, False).width + _show(rel.rhs, False).width + 2
    return width + (12 + _show(prop.hi, False).width if isinstance(prop, Each) else 0)


def prop_latex(prop: Prop) -> str:
    """A proposition in text mode, its two sides on separate lines if they are long."""
    rel = prop.rel if isinstance(prop, Each) else prop
    lhs, rhs, op = _show(rel.lhs, False), _show(rel.rhs, False), RELATIONS[rel.op]
    if lhs.width + rhs.width > WIDEST_LINE:
        text = rf"$\displaystyle {lhs.tex}$\newline\hspace*{{1em}}$\displaystyle{{}} {op} {rhs.tex}$"
    else:
        text = rf"$\displaystyle {lhs.tex} {op} {rhs.tex}$"
    if isinstance(prop, Each):
        text += rf" for every ${expr_latex(prop.var)} = {expr_latex(prop.lo)}, \dots, {expr_latex(prop.hi)}$"
    return text


# -- expressions -------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=CACHED)
def _show(expr: sp.Expr, small: bool) -> Piece:
    """`small`: in an exponent or subscript, where fractions are set with a slash."""
    if expr.is_Add:
        return _sum_of_terms(summands(expr), small)
    if expr.is_Mul or expr.is_Rational or (expr.is_Pow and expr.exp.is_Rational and expr.exp < 0):
        term = product(expr)
        piece = _magnitude(term, small)
        return Piece("-" + piece.tex, piece.width + 1, MUL, piece.bars) if term.sign < 0 else piece
    if expr.is_Pow:
        if expr.exp == sp.S.Half:
            inner = _show(expr.base, small)
            return Piece(rf"\sqrt{{{inner.tex}}}", inner.width + 1, ATOM, inner.bars)
        base, exponent = _at_least(expr.base, ATOM, small), _show(expr.exp, True)
        return Piece(f"{{{base.tex}}}^{{{exponent.tex}}}", base.width + 0.7 * exponent.width, POWER, base.bars)
    if expr is sp.E:
        return Piece("e^{1}", 1.7, POWER)
    if expr.is_Symbol:
        return Piece(*symbol_name(expr.name))
    if isinstance(expr, sp.Sum):
        inner, limits = summand(expr)
        var, lo, hi = (_show(limit, True) for limit in limits)
        body = _body(inner, small)
        scope = rf"_{{{var.tex}={lo.tex}}}^{{{hi.tex}}}"
        return Piece(rf"\sum{scope} {body.tex}", body.width + 3, MUL, max(1, body.bars))
    if expr.func == MaxOver:
        var, lo, hi = (_show(arg, True) for arg in expr.args[1:])
        body = _body(expr.args[0], small)
        scope = rf"_{{{lo.tex} \le {var.tex} \le {hi.tex}}}"
        return Piece(rf"\max{scope} {body.tex}", body.width + 5, MUL, max(1, body.bars))
    return _call(expr, small)


def _call(expr: sp.Expr, small: bool) -> Piece:
    """A function applied to its arguments."""
    if expr.func == Primed:
        inner = _at_least(expr.args[0], ATOM, small)
        return Piece(rf"{{{inner.tex}}}^{{\circ}}", inner.width + 1, ATOM, inner.bars)
    arguments = [_show(arg, small) for arg in expr.args]
    if isinstance(expr, sp.Abs):
        inner = _show(inside_bars(expr.args[0]), small)
        size = _size(inner.bars)
        left, right = (rf"\{size}l\lvert ", rf"\{size}r\rvert") if size else (r"\lvert ", r"\rvert")
        return Piece(left + inner.tex + right, inner.width + 1, ATOM, inner.bars)
    if isinstance(expr, sp.exp):
        exponent = _show(expr.args[0], True)
        if not exponent.bars:
            return Piece(rf"e^{{{exponent.tex}}}", 1 + 0.7 * exponent.width, POWER)
    name = expr.func.__name__ if isinstance(expr, sp.Function) else ""
    if not name:
        return Piece(rf"\mathtt{{{words(str(expr))}}}", len(str(expr)), ADD)
    if isinstance(expr, AppliedUndef) and len(arguments) == 1 and name != "Theta":
        index = _show(expr.args[0], True)
        symbol, width = symbol_name(name)
        return Piece(f"{symbol}_{{{index.tex}}}", width + 0.7 * index.width)
    width, bars = sum(a.width for a in arguments), max(a.bars for a in arguments)
    inside = Piece(", ".join(a.tex for a in arguments), width, ADD, bars)
    operator = rf"\{name}" if name in ("exp", "log", "tanh", "Theta") else rf"\operatorname{{{words(name)}}}"
    bracketed = _parenthesised(inside)
    return Piece(operator + bracketed.tex, len(name) + bracketed.width, ATOM, inside.bars)


def _sum_of_terms(terms: list[Product], small: bool) -> Piece:
    tex, width, bars = "", 0.0, 0
    for position, term in enumerate(terms):
        piece = _magnitude(term, small)
        sign = "-" if term.sign < 0 else ("+" if position else "")
        tex += f" {sign} {piece.tex}" if position else f"{sign}{piece.tex}"
        width, bars = width + piece.width + (2 if sign else 0), max(bars, piece.bars)
    return Piece(tex, width, ADD, bars)


def _size(bars: int) -> str:
    return ("", "Big", "bigg", "Bigg")[min(bars, 3)]


def _parenthesised(inner: Piece) -> Piece:
    size = _size(inner.bars)
    left, right = (rf"\{size}l(", rf"\{size}r)") if size else ("(", ")")
    return Piece(left + inner.tex + right, inner.width + 2, ATOM, inner.bars)


def _at_least(expr: sp.Expr, level: int, small: bool) -> Piece:
    piece = _show(expr, small)
    return piece if piece.binds >= level else _parenthesised(piece)


def _body(expr: sp.Expr, small: bool) -> Piece:
    piece = _show(expr, small)
    return _parenthesised(piece) if piece.binds == ADD or piece.tex.startswith("-") else piece


def _join(factors: list[Piece], binds: int) -> Piece:
    """Factors next to each other, a number in front without space."""
    tex = factors[0].tex
    for before, piece in itertools.pairwise(factors):
        tex += (" " if before.tex.isdigit() else r" \, ") + piece.tex
    return Piece(tex, sum(p.width for p in factors) + 0.3 * len(factors), binds, max(p.bars for p in factors))


def _factors(coefficient: int, factors: tuple[sp.Expr, ...], small: bool, last_open: bool) -> Piece:
    """A product; the last factor may be a sum without parentheses if nothing follows it."""
    pieces = [Piece(str(coefficient), len(str(coefficient)))] if coefficient != 1 or not factors else []
    for position, factor in enumerate(factors):
        level = MUL if last_open and position == len(factors) - 1 else POWER
        pieces.append(_at_least(factor, level, small))
    return pieces[0] if len(pieces) == 1 else _join(pieces, MUL)


def _magnitude(term: Product, small: bool) -> Piece:
    """A term without its sign."""
    if not term.under and term.denominator == 1:
        return _factors(term.numerator, term.over, small, True)
    tall = [factor for factor in term.over if isinstance(factor, sp.Sum) or factor.func == MaxOver]
    if tall and not term.under and not small:  # (1/2) sum ...
        front = Piece(rf"\frac{{{term.numerator}}}{{{term.denominator}}}", 1, POWER, 1)
        return _join([front, _factors(1, term.over, small, True)], MUL)
    top = _alone(term.numerator, term.over, small)
    bottom = _alone(term.denominator, term.under, small)
    if not small and max(top.width, bottom.width) <= WIDEST_BAR and max(top.bars, bottom.bars) < 3:
        bars = max(top.bars, bottom.bars) + 1
        return Piece(rf"\frac{{{top.tex}}}{{{bottom.tex}}}", max(top.width, bottom.width) + 1, MUL, bars)
    above = _factors(term.numerator, term.over, small, False)
    below = _factors(term.denominator, term.under, small, False)
    if below.binds < POWER:
        below = _parenthesised(below)
    return Piece(f"{above.tex} / {below.tex}", above.width + below.width + 1, MUL, max(above.bars, below.bars))


def _alone(coefficient: int, factors: tuple[sp.Expr, ...], small: bool) -> Piece:
    """A product above or below a bar: a single factor needs no parentheses there."""
    if coefficient == 1 and len(factors) == 1:
        return _show(factors[0], small)
    return _factors(coefficient, factors, small, True)
