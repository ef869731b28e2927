"""Small transformers, and the true errors of their softmax runs, against which every bound of section E is held."""

import itertools
import random
from fractions import Fraction
from functools import lru_cache

from checker.attention import Mask, Tie
from checker.ball import endpoints, working
from checker.general.gaps import measure
from checker.general.profile import profile
from checker.position import parse
from checker.transformer.hard import run_hard
from checker.transformer.model import FeedForward, Head, Layer, Output, Transformer, Unit
from checker.transformer.number import add
from checker.transformer.soft import run_soft

F = Fraction
PRECISION = 192
DIRECTIONS = ("a", "b", "one", "place", "x", "y", "z")


def vector(**entries):
    """A sparse vector; entries are anything that Fraction reads."""
    return {d: Fraction(c) for d, c in entries.items()}


def head(name, rows, value, mask=Mask.NONE, ties=Tie.AVERAGE):
    """A head from pairs (query, key) and {direction: form}."""
    return Head(name, tuple(q for q, _ in rows), tuple(k for _, k in rows), value, mask, ties)


def part(units, output, bias=None):
    """A feed-forward part from (weights, bias) per unit."""
    hidden = tuple(Unit(weights, Fraction(b)) for weights, b in units)
    combined = {d: {i: Fraction(c) for i, c in terms.items()} for d, terms in output.items()}
    return FeedForward(hidden, combined, bias or {})


def cleanup(source, target, a):
    """D1: target becomes 0 or 1 from `source`, thresholds a and 1 - a."""
    a = Fraction(a)
    units = [(vector(**{source: 1}), -a), (vector(**{source: 1}), a - 1)]
    return part(units, {target: {0: 1 / (1 - 2 * a), 1: -1 / (1 - 2 * a)}})


def model(*layers, output=None, position="last", name="small", **positional):
    """A transformer over {a, b} whose directions a and b carry the symbol, one carries 1 and place carries i/2."""
    tables = {"one": "1", "place": "i/2", **positional}
    return Transformer(
        name=name,
        alphabet=("a", "b"),
        directions=DIRECTIONS,
        embedding={"a": vector(a=1), "b": vector(b=1)},
        begin=None,
        end=None,
        positional={d: parse(text) for d, text in tables.items()},
        layers=layers,
        output=Output(output or vector(x=1), F(-1, 3), position),
    )


LAST = [(vector(one=1), vector(place=1))]
NEWEST_A = head("last symbol", LAST, {"x": vector(a=1)}, Mask.FUTURE)
SIGNED = head("sign", LAST, {"x": vector(a=1, b=-1)}, Mask.FUTURE)
TIED = head("symbols a", [(vector(one=1), vector(a=1))], {"y": vector(place=1)})


def models():
    """Models written by hand, one for each way in which an error is made or handed on."""
    reads = {"y": vector(place=1)}
    yield model(Layer((NEWEST_A,), ()), name="one head")
    yield model(Layer((SIGNED,), ()), name="values of both signs")
    yield model(Layer((TIED,), ()), output=vector(y=-2), name="ties")
    yield model(Layer((NEWEST_A,), ()), Layer((), ()), name="a layer that does nothing")
    yield model(
        Layer((NEWEST_A, head("again", LAST, {"x": vector(a=2)})), ()), name="two heads that write one direction"
    )
    other = head("last symbol is b", LAST, {"y": vector(b=1)}, Mask.FUTURE)
    yield model(Layer((NEWEST_A, other), ()), output=vector(x=1, y=-1), name="errors of both signs")
    for rows in (
        [(vector(one=1), vector(x=2, place=1))],
        [(vector(x=1), vector(place=1))],
        [(vector(x=2), vector(x=1))],
        [(vector(one=2), vector(x=1))],
        [(vector(x=1), vector(a=1, b=-1))],
    ):
        yield model(Layer((NEWEST_A,), ()), Layer((head("second", rows, reads),), ()), output=vector(y=1))
    # x is 0 in the hard run: its error enters the scores as a product only
    product = [(vector(x=2), vector(x=2))]
    yield model(
        Layer((head("last is 0", [(vector(one=1), vector(z=-1))], {"x": vector(z=1)}, Mask.FUTURE),), ()),
        Layer((head("product", product, reads),), ()),
        output=vector(y=1),
        name="a product of errors",
        z="i - 1",
    )
    yield model(
        Layer((NEWEST_A,), ()),
        Layer((head("values", [(vector(one=1), vector(a=1))], {"y": vector(x=3)}),), ()),
        output=vector(y=1, x=1),
        name="values with an error",
    )
    for a in ("1/8", "3/8"):
        yield model(Layer((NEWEST_A,), (cleanup("x", "y", a),)), output=vector(y=2), name=f"clean-up {a}")
    yield model(Layer((NEWEST_A,), (cleanup("x", "x", "1/8"),)), name="clean-up of the residual")
    yield model(
        Layer((NEWEST_A,), (part([(vector(x=1), "-1/2")], {"y": {0: 4}}), part([(vector(y=-1), 1)], {"z": {0: 3}}))),
        output=vector(z=1),
        name="two parts",
    )
    leftmost = head("leftmost", [(vector(one=1), vector(a=1))], {"x": vector(place=1)}, ties=Tie.LEFTMOST)
    yield model(Layer((leftmost,), ()), name="leftmost")


def random_models(seed, count):
    """Random models of two or three layers over the same directions, with small weights."""
    rng = random.Random(seed)

    def form(size=2):
        return {d: Fraction(rng.choice((-2, -1, 1, 2)), rng.choice((1, 2))) for d in rng.sample(DIRECTIONS, size)}

    def one_head(number):
        rows = [(form(rng.choice((1, 2))), form(rng.choice((1, 2)))) for _ in range(rng.choice((0, 1, 1, 2)))]
        value = {d: form(rng.choice((1, 2))) for d in rng.sample(("x", "y", "z"), rng.choice((1, 2)))}
        return head(f"head {number}", rows, value, rng.choice(tuple(Mask)))

    def one_part():
        units = [(form(rng.choice((1, 2))), Fraction(rng.randint(-2, 2), 2)) for _ in range(2)]
        return part(units, {rng.choice(("x", "y", "z")): {0: rng.choice((-1, 1, 2)), 1: rng.choice((-2, 1))}})

    for number in range(count):
        layers = [
            Layer(
                tuple(one_head(i) for i in range(rng.choice((1, 1, 2)))),
                tuple(one_part() for _ in range(rng.choice((0, 0, 1)))),
            )
            for _ in range(rng.choice((2, 2, 3)))
        ]
        yield model(*layers, output=form(), position=rng.choice(("first", "last")), name=f"random {number}")


def all_words(small, n):
    return list(itertools.product(small.alphabet, repeat=n))


def true_errors(small, n, tau):
    """Over all words of length n: per layer {direction: lower bound of the largest |x' - x|}, and that of the logit."""
    layers, logit = [{d: F(0) for d in small.directions} for _ in small.layers], F(0)
    for word in all_words(small, n):
        hard = run_hard(small, word)
        soft = run_soft(small, word, tau, precision=PRECISION, maximum=PRECISION)
        with working(PRECISION):
            for found, a, b in zip(layers, soft.layers, hard.layers, strict=True):
                for x, y in zip(a.stream, b.stream, strict=True):
                    for d in small.directions:
                        found[d] = max(found[d], least(add(x.get(d, F(0)), -y.get(d, F(0)))))
            place = 0 if small.output.position == "first" else -1
            logit = max(logit, least(add(soft.logits[place], -hard.logits[place])))
    return layers, logit


def least(x):
    """A lower bound of |x|."""
    if isinstance(x, Fraction):
        return abs(x)
    low, high = endpoints(x)
    return max(low, -high, F(0))


@lru_cache(maxsize=1)
def cases():
    """(facts of all words of length 2 or 3, profile, temperature, true errors), for models by hand and random ones."""
    result = []
    for small, n in (*((m, 2) for m in (*models(), *random_models(5, 24))), *((m, 3) for m in list(models())[:3])):
        measured = measure(small, n)
        known = profile(measured)
        result += [(measured, known, tau, true_errors(small, n, tau)) for tau in (F(1, 5), F(2, 3))]
    return tuple(result)
