"""D1, clean-up: one feed-forward layer turns a number near a Boolean, or near an integer, into an exact Boolean.

Notation, with ReLU(x) = (x + |x|)/2
    F(x) = (ReLU(x - a) - ReLU(x - 1 + a))/(1 - 2a)     the clean-up, for a < 1/2
    C(x) = ReLU(y) - ReLU(y - 1), y = (x + 1 - e)/(1 - 2e)  min(1, max(0, y)), which decides the sign of an integer

Main statements
    D1.zero, D1.one                    F(x) = 0 for x <= a, F(x) = 1 for x >= 1 - a
    D1.nonnegative, D1.at-most-one     0 <= F(x) <= 1 for every x
    D1.clean                           b Boolean and |x - b| <= a imply F(x) = b
    D1.masked-zero, D1.masked          F(x + w - 1) = w b for a Boolean w (the word bit)
    D1.limit                           a >= 1/2: the number 1/2 is within a of 0 and of 1
    D1.integer-true, D1.integer-false  D an integer, |x - D| <= e < 1/2: C(x) = [D >= 0]
    D1.integer-limit                   e >= 1/2: the number -1/2 is within e of 0 and of -1
    D1.and-true, D1.and-false          ReLU(sum of n bits - (n - 1)) is their conjunction
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sympy as sp

from ..a_softmax_gap.row import REAL_X, REAL_Y, absolute
from ..derivation import Derivation
from ..facts import ABS_ABOVE, ABS_BELOW, ABS_BOUND, CONSECUTIVE
from ..props import Each, Rel, position, total
from ..sequent import Step
from ..statement import Claim, Statement
from ..sums import f, function, g, m, n

x, a, b, e, w = sp.symbols("x a b e w", real=True)
D = sp.Symbol("D", integer=True)
i = position("i")
HALF = sp.Rational(1, 2)


def relu(y: sp.Expr) -> sp.Expr:
    """max(0, y)."""
    return (y + sp.Abs(y)) / 2


def clean(y: sp.Expr) -> sp.Expr:
    """The clean-up F at y, with threshold a."""
    return (relu(y - a) - relu(y - 1 + a)) / (1 - 2 * a)


def decided(y: sp.Expr) -> sp.Expr:
    """min(1, max(0, (y + 1 - e)/(1 - 2e))), as ReLU at two places."""
    scaled = (y + 1 - e) / (1 - 2 * e)
    return relu(scaled) - relu(scaled - 1)


SMALL_A = Rel(a, "<", HALF)
SMALL_E = Rel(e, "<", HALF)
BIT = Rel(b * (1 - b), "=", 0)
WORD = Rel(w * (1 - w), "=", 0)
NEAR_BIT = (Rel(x - b, "<=", a), Rel(b - x, "<=", a))
NEAR_INTEGER = (Rel(x - D, "<=", e), Rel(D - x, "<=", e))


def bit_cases(d: Derivation, product: Step, bit: sp.Expr, build: Callable[[Step], Step]) -> Step:
    """Case analysis on bit (1 - bit) = 0: build gets bit = 0, then bit = 1."""
    zero = d.assume(Rel(bit, "=", 0))
    first = build(zero)
    other = d.assume(Rel(1 - bit, "=", 0))
    second = build(d.polynomial(bit, "=", 1, [other]))
    return d.cases(product, (zero, first), (other, second))


def _edges(d: Derivation, y: sp.Expr, low: tuple[str, Sequence[Step]], high: tuple[str, Sequence[Step]]) -> list[Step]:
    """|y - a| and |y - 1 + a| without bars, by the signs given."""
    first = d.polynomial(y - a, low[0], 0, low[1])
    second = d.polynomial(y - 1 + a, high[0], 0, high[1])
    return [absolute(d, y - a, first), absolute(d, y - 1 + a, second)]


def _zero(d: Derivation, given: Sequence[Step]) -> Step:
    small, order = given
    # x <= a < 1 - a
    return d.identity(clean(x), 0, [*_edges(d, x, ("<=", [order]), ("<=", [order, small])), small])


def _one(d: Derivation, given: Sequence[Step]) -> Step:
    small, order = given
    # a < 1 - a <= x
    return d.identity(clean(x), 1, [*_edges(d, x, (">=", [order, small]), (">=", [order])), small])


def _clean(d: Derivation, given: Sequence[Step]) -> Step:
    bit, small, above, below = given

    def case(value: Step) -> Step:
        if value.rel.rhs == 0:
            order = d.polynomial(x, "<=", a, [above, value])
            done = d.cite("D1.zero", {}, [small, order])
        else:
            order = d.polynomial(x, ">=", 1 - a, [below, value])
            done = d.cite("D1.one", {}, [small, order])
        return d.identity(clean(x), b, [done, value, small])

    return bit_cases(d, bit, b, case)


def _masked_zero(d: Derivation, given: Sequence[Step]) -> Step:
    small, outside, order = given
    return d.cite("D1.zero", {x: x + w - 1}, [small, d.polynomial(x + w - 1, "<=", a, [outside, order])])


def _masked(d: Derivation, given: Sequence[Step]) -> Step:
    bit, word, small, most, above, below = given

    def case(value: Step) -> Step:
        if value.rel.rhs == 0:
            done = d.cite("D1.masked-zero", {}, [small, value, most])
            return d.identity(clean(x + w - 1), w * b, [done, value, small])
        near = [
            d.polynomial(x + w - 1 - b, "<=", a, [above, value]),
            d.polynomial(b - (x + w - 1), "<=", a, [below, value]),
        ]
        done = d.cite("D1.clean", {x: x + w - 1}, [bit, small, *near])
        return d.identity(clean(x + w - 1), w * b, [done, value, small])

    return bit_cases(d, word, w, case)


def _limit(d: Derivation, given: Sequence[Step]) -> Step:
    bit, large = given

    def case(value: Step) -> Step:
        op = ">=" if value.rel.rhs == 0 else "<="
        sign = d.polynomial(HALF - b, op, 0, [value])
        return d.polynomial(sp.Abs(HALF - b), "<=", a, [absolute(d, HALF - b, sign), value, large])

    return bit_cases(d, bit, b, case)


def _apart(d: Derivation, near: sp.Expr, far: sp.Expr, small: Step) -> Step:
    """|near| <= |far| + 1 - 2a for near - far = +-(1 - 2a)."""
    # the triangle inequality, with 1 - 2a > 0
    sides = [d.analysis(fact, {REAL_X: far}) for fact in (ABS_ABOVE, ABS_BELOW)]
    bound = sp.Abs(far) + 1 - 2 * a
    ends = [d.polynomial(sign * near, "<=", bound, [*sides, small]) for sign in (1, -1)]
    return d.analysis(ABS_BOUND, {REAL_X: near, REAL_Y: bound}, ends)


def _nonnegative(d: Derivation, given: Sequence[Step]) -> Step:
    (small,) = given
    return d.polynomial(clean(x), ">=", 0, [_apart(d, x - 1 + a, x - a, small), small])


def _at_most_one(d: Derivation, given: Sequence[Step]) -> Step:
    (small,) = given
    return d.polynomial(clean(x), "<=", 1, [_apart(d, x - a, x - 1 + a, small), small])


def _integer(d: Derivation, sign: str, facts: Sequence[Step], small: Step, value: int) -> Step:
    """C(x) = value, from x + 1 - e >= 1 - 2e (sign >=) or x + 1 - e <= 0 (sign <=)."""
    scaled = (x + 1 - e) / (1 - 2 * e)
    first = d.polynomial(scaled, sign, 0, [*facts, small])
    second = d.polynomial(scaled - 1, sign, 0, [*facts, small])
    moduli = [absolute(d, scaled, first), absolute(d, scaled - 1, second)]
    return d.identity(decided(x), value, [*moduli, small])


def _integer_true(d: Derivation, given: Sequence[Step]) -> Step:
    small, below, true = given
    return _integer(d, ">=", [below, true], small, 1)


def negative_integer(d: Derivation, false: Step) -> Step:
    """D <= -1 from D < 0: D(D + 1) >= 0 for an integer D."""
    product = d.analysis(CONSECUTIVE, {m: D})
    return d.polynomial(D, "<=", -1, [product, false])


def _integer_false(d: Derivation, given: Sequence[Step]) -> Step:
    small, above, false = given
    return _integer(d, "<=", [above, negative_integer(d, false)], small, 0)


def _integer_limit(d: Derivation, given: Sequence[Step]) -> Step:
    choice, large = given

    def case(value: Step) -> Step:
        op = "<=" if value.rel.rhs == 0 else ">="
        sign = d.polynomial(-HALF + b, op, 0, [value])
        return d.polynomial(sp.Abs(-HALF + b), "<=", e, [absolute(d, -HALF + b, sign), value, large])

    return bit_cases(d, choice, b, case)


def _and_true(d: Derivation, given: Sequence[Step]) -> Step:
    natural, ones = given
    one = function(lambda _: sp.S.One)
    summed = d.cite("S.equal", {f: function(f), g: one}, [natural, ones])
    value = d.identity(ALL, 1, [summed, natural])
    modulus = absolute(d, ALL, d.polynomial(ALL, ">=", 0, [value]))
    return d.identity(relu(ALL), 1, [modulus, value])


def _and_false(d: Derivation, given: Sequence[Step]) -> Step:
    bits, one_m, m_n, false = given
    where, low, high = d.generic("p", sp.S.One, n)
    here = bit_cases(
        d, d.at(bits, where, low, high), f(where), lambda value: d.polynomial(0, "<=", 1 - f(where), [value])
    )
    missing = d.generalise(here, low, high)
    # the bit at m is missing, and none exceeds 1: the sum of the bits is at most n - 1
    term = d.cite("S.term", {f: function(lambda j: 1 - f(j))}, [missing, one_m, m_n])
    natural = d.polynomial(n, ">=", 0, [one_m, m_n])
    order = d.polynomial(ALL, "<=", 0, [term, false, natural])
    return d.identity(relu(ALL), 0, [absolute(d, ALL, order)])


NATURAL = Rel(n, ">=", 0)
BITS = Each(i, 1, n, Rel(f(i) * (1 - f(i)), "=", 0))
ONES = Each(i, 1, n, Rel(f(i), "=", 1))
ALL = total(f, n) - (n - 1)
CLAIMS = (
    Claim("D1.zero", "at or below the threshold the clean-up is exactly 0", (), (SMALL_A, Rel(x, "<=", a)),
          Rel(clean(x), "=", 0), _zero),
    Claim("D1.one", "at or above 1 - a it is exactly 1", (), (SMALL_A, Rel(x, ">=", 1 - a)),
          Rel(clean(x), "=", 1), _one),
    Claim("D1.nonnegative", "everywhere it is at least 0", (), (SMALL_A,), Rel(clean(x), ">=", 0), _nonnegative),
    Claim("D1.at-most-one", "and at most 1", (), (SMALL_A,), Rel(clean(x), "<=", 1), _at_most_one),
    Claim("D1.clean", "within the threshold of a Boolean it is exactly that Boolean", (BIT,), (SMALL_A, *NEAR_BIT),
          Rel(clean(x), "=", b), _clean),
    Claim("D1.masked-zero", "with the word bit: exactly 0 outside the word", (), (SMALL_A, Rel(w, "=", 0),
          Rel(x, "<=", 1 + a)), Rel(clean(x + w - 1), "=", 0), _masked_zero),
    Claim("D1.masked", "with the word bit: the Boolean inside the word, 0 outside", (BIT, WORD),
          (SMALL_A, Rel(x, "<=", 1 + a), Rel(w * (x - b), "<=", a), Rel(w * (b - x), "<=", a)),
          Rel(clean(x + w - 1), "=", w * b), _masked),
    Claim("D1.limit", "from a = 1/2 on no clean-up exists: 1/2 is within a of both Booleans", (BIT,),
          (Rel(a, ">=", HALF),), Rel(sp.Abs(HALF - b), "<=", a), _limit),
    Claim("D1.integer-true", "the sign of an integer: 1 where it is not negative", (),
          (SMALL_E, NEAR_INTEGER[1], Rel(D, ">=", 0)), Rel(decided(x), "=", 1), _integer_true),
    Claim("D1.integer-false", "and 0 where it is negative", (),
          (SMALL_E, NEAR_INTEGER[0], Rel(D, "<", 0)), Rel(decided(x), "=", 0), _integer_false),
    Claim("D1.integer-limit", "from e = 1/2 on no such function exists: -1/2 is within e of 0 and of -1", (BIT,),
          (Rel(e, ">=", HALF),), Rel(sp.Abs(-HALF + b), "<=", e), _integer_limit),
    Claim("D1.and-true", "the conjunction of n bits that are all 1", (), (NATURAL, ONES), Rel(relu(ALL), "=", 1),
          _and_true),
    Claim("D1.and-false", "the conjunction of n bits, one of them 0", (BITS,),
          (Rel(1, "<=", m), Rel(m, "<=", n), Rel(f(m), "=", 0)), Rel(relu(ALL), "=", 0), _and_false),
)  # fmt: skip

STATEMENT = Statement(
    id="D1",
    title="Clean-up",
    section="D",
    kernel=True,
    summary="(ReLU(x-a) - ReLU(x-1+a))/(1-2a), a < 1/2, is 0 for x <= a and 1 for x >= 1-a; likewise for integers.",
    quantity="clean",
    direction="=",
    claims=CLAIMS,
    main="D1.clean",
    sharpness="no function of x does it for a >= 1/2 (D1.limit), nor for integers and e >= 1/2 (D1.integer-limit)",
    used_for="the feed-forward layer after every attention layer: errors do not accumulate (D6)",
)
