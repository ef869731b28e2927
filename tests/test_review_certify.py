"""Attacks that aim at large lengths only, random heads and random feed-forward parts against the certificates."""

import random
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

import pytest
from certify_fixture import hard_agrees, model_of, proves, soft_agrees, understood, with_positional

from checker.attention import Mask, Tie
from checker.certify.bounds import integer, linear
from checker.certify.certificate import Outcome, certify
from checker.certify.feed import written
from checker.certify.form import Bit, Count, Form, Ranged, ReadBit, ReadCount, number
from checker.certify.ledger import Argument
from checker.certify.rational import Region
from checker.errors import InputError
from checker.logic import normal
from checker.logic.formula import Side
from checker.logic.normal import Op
from checker.logic.text import parse_formula
from checker.position import parse
from checker.transformer.model import FeedForward, Head, Layer, Output, Transformer, Unit
from checker.transformer.validate import validate

ONE = Fraction(1)


@pytest.mark.parametrize(
    "text",
    [
        "1/5 + [n > 50]", "1/5*(1 + n % 1000000)", "1/(n - 100)^2", "((n - 100)^2)/1000", "1/((n - 100)^2 + 1)",
        "(n + 2)/1000", "1/5 + n/10^9", "2 - [n <= 10^6]*9/5", "1/5 + [i > 10^6]", "[n <= 50]/5", "1/(101 - n)",
        "(1 + [n == 1000]*100)/5",
    ],
)  # fmt: skip
def test_temperatures_that_fail_at_some_length_only(text):
    model = replace(model_of("Y a"), temperature=parse(text))
    assert not proves(model, "Y a")
    # A temperature that misbehaves beyond the words that are tried is never called certified.
    with suppress(InputError):
        assert certify(model, 3, claimed=parse_formula("Y a")).outcome is not Outcome.CERTIFIED


def test_temperatures_that_are_fine_are_accepted():
    for text in ("1/5", "n/(n + 1)/5", "[n >= 1]/5", "1/(n + 2)^14", "((n + 2)^3 + 1)/(5*(n + 2)^3 + 5)"):
        assert proves(replace(model_of("Y a"), temperature=parse(text)), "Y a"), text


@pytest.mark.parametrize("regime", ["unbounded", "scaled"])
@pytest.mark.parametrize("formula", ["Y a", "a S b", "a U b", "#<-[a] >= 2", "#[a] % 2 == 1"])
def test_positional_directions_that_differ_at_large_lengths_only(formula, regime):
    model = model_of(formula, regime=regime)
    changes = (
        "({})*[n <= 50]", "({})*[i <= 10^6]", "({}) + [i % 1000000 == 999999]", "({}) + [n > 50]",
        "({})*(n - 100)^2", "({})*(101 - n)", "({}) - [n > 50]*n", "({})*(1 - 2*[n > 10^9])",
    )  # fmt: skip
    for name, old in model.positional.items():
        for change in changes:
            changed = with_positional(model, **{name: parse(change.format(old))})
            assert not proves(changed, formula), (name, change)


POSITIONAL = (
    "1", "n", "i", "n + 2", "1/n", "1/(n + 2)", "n - i + 1", "n + 2 - i", "i + 1", "1/2", "n^2", "i - 1/2", "[i == 1]",
    "[n <= 4]", "1 + [n <= 4]", "n - 3", "(n - 3)^2 + 1", "i - 1", "2*n + 3 - i",
)  # fmt: skip
KEYS = (
    "i", "-i", "i/(n + 2)", "i + 1", "n - i", "i + [i == 0]", "i - [i == 0]", "i*[i <= n]", "i^2", "i + [i % 2 == 1]/2",
    "-i + [i > n]", "-i - [i > n]", "i - n*[i == 0]",
)  # fmt: skip
NAMES = ("a", "b", "word", "weight", "scale", "key", "other", "raw", "bit")


def random_head_model(rng):
    """One cleaned head with score weight * predicate + scale * key + other; markers and embeddings at random."""

    def expression(choices):
        text = rng.choice(choices)
        return parse(f"({text})*({rng.choice(choices)})" if rng.random() < 0.2 else text)

    def marker():
        return rng.choice([None, {}, {}, {rng.choice(NAMES[:7]): Fraction(rng.choice([1, -1, 2, -100]))}])

    embedding = {s: {"word": ONE, s: ONE} for s in "ab"}
    if rng.random() < 0.15:
        embedding[rng.choice("ab")][rng.choice(["a", "word"])] = Fraction(rng.choice([0, 1, 2]))
    positional = {"weight": expression(POSITIONAL), "scale": expression(POSITIONAL), "key": expression(KEYS)}
    positional["other"] = expression(POSITIONAL)
    if rng.random() < 0.15:
        positional[rng.choice(["a", "b", "word"])] = parse(rng.choice(["[i == 0]", "[i > n]", "[n <= 4]", "-[i == 2]"]))
    literals = ({"a": ONE}, {"b": ONE}, {"word": ONE, "a": -ONE}, {"a": -ONE}, {"a": ONE, "b": ONE}, {"word": ONE})
    rows = [({"scale": Fraction(rng.choice([1, 1, 2, -1]))}, {"key": ONE})]
    if rng.random() < 0.7:
        rows.append(({"weight": Fraction(rng.choice([1, 1, 2, -1]))}, rng.choice(literals)))
    if rng.random() < 0.4:
        rows.append(({rng.choice(["other", "a", "word"]): ONE}, {rng.choice(["word", "scale", "b"]): ONE}))
    query, key = zip(*rows, strict=True)
    head = Head("h", query, key, {"raw": rng.choice(literals)}, rng.choice(list(Mask)), rng.choice(list(Tie)))
    a = Fraction(rng.choice([1, 10, 19]), 40)
    slope = 1 / (1 - 2 * a)
    clean = FeedForward((Unit({"raw": ONE}, -a), Unit({"raw": ONE}, a - 1)), {"bit": {0: slope, 1: -slope}}, {})
    temperature = parse(rng.choice(["1/5", "1/2", "13/18", "1/(5*n + 10)", "1/(n + 2)^2", "n/5", "1/100"]))
    output = Output({"bit": ONE}, Fraction(-1, 2), "last")
    layers = (Layer((head,), (clean,)),)
    return Transformer(
        "random head", ("a", "b"), NAMES, embedding, marker(), marker(), positional, layers, output, temperature
    )


def test_random_heads_that_are_proved_agree_with_both_runs():
    rng, formulas = random.Random(20), set()
    for _ in range(1000):
        model = validate(random_head_model(rng))
        argument, formula, _ = understood(model)
        if argument is Argument.PROVED:
            formulas.add(formula)
            assert hard_agrees(model, formula, 5), model
            assert soft_agrees(model, formula, 5), model
    assert len(formulas) >= 10


A, B = normal.symbol("a"), normal.symbol("b")
READS = (normal.yesterday(A), normal.yesterday(B))
COUNTS = (Count(Side.LEFT, A), Count(Side.ALL, B))


def truth(formula, state):
    """The truth value of a formula over A, B, READS and the two counts, whose values are in `state`."""
    if formula.op is Op.TRUE:
        return True
    if formula.op is Op.NOT:
        return not truth(formula.parts[0], state)
    if formula.op is Op.ALL:
        return all(truth(part, state) for part in formula.parts)
    if formula.op is Op.AT_LEAST:
        terms, constant = formula.data
        counts = [state[Count(side, part)] for (_, side), part in zip(terms, formula.parts, strict=True)]
        return sum(c * count for (c, _), count in zip(terms, counts, strict=True)) + constant >= 0
    return state[formula]


def random_part(rng):
    """Units along one line or two over all kinds of contents; half of them shaped like a clean-up."""

    def small():
        return rng.choice([ONE, -ONE, Fraction(2), Fraction(-2), Fraction(3), Fraction(1, 2), Fraction(-1, 3)])

    names = ["k", "l"] if rng.random() < 0.3 else ["a", "b", "r", "s", "k", "l", "g", "mix"]
    line = {d: Fraction(rng.choice([1, -1, 2])) for d in rng.sample(names, rng.choice([1, 1, 1, 2]))}
    if rng.random() < 0.5:
        a = rng.choice([Fraction(1, 4), Fraction(1, 3), Fraction(2, 5), Fraction(0)])
        steep = {d: x / (1 - 2 * a) for d, x in line.items()}
        start = (1 - a - rng.randint(-2, 3)) / (1 - 2 * a)
        hidden = [Unit(steep, start), Unit(steep, start - 1)]
        first = small()
        combination = {0: first, 1: -first if rng.random() < 0.8 else small()}
    else:
        factors = [small() for _ in range(rng.randint(1, 4))]
        hidden = [Unit({d: x * f for d, x in line.items()}, small()) for f in factors]
        combination = {k: small() for k in range(len(hidden))}
    return FeedForward(tuple(hidden), {"out": combination}, {"out": small()} if rng.random() < 0.3 else {})


def test_random_feed_forward_parts_do_what_is_read_off_them():
    rng, exact, cleaned = random.Random(4), 0, 0
    for _ in range(2500):
        reads = [ReadBit(formula, linear(ONE), (0, k)) for k, formula in enumerate(READS)]
        sums = [ReadCount(count, integer(ONE), (1, k)) for k, count in enumerate(COUNTS)]
        ranged = Ranged(-ONE, Fraction(2), "")
        atoms = {"a": Bit(A), "b": Bit(B), "r": reads[0], "s": reads[1], "k": sums[0], "l": sums[1], "g": ranged}
        carried = {d: Form({atom: ONE}) for d, atom in atoms.items()}
        carried |= {"mix": Form({Bit(A): ONE, Bit(B): Fraction(-2), None: ONE})}
        part = random_part(rng)
        written_, checks = written(part, {Region.WORD: carried}, "part")
        form = written_[Region.WORD].get("out", number(Fraction(0)))
        exact, cleaned = exact + (form.unknown is None), cleaned + len(checks)
        assert all(0 < check.threshold < Fraction(1, 2) for check in checks)
        error = min((check.threshold for check in checks), default=ONE)
        weight = max((sum(abs(w) for w, _ in check.reads) for check in checks), default=1)
        for _ in range(6):
            state = {f: rng.random() < 0.5 for f in (A, B, *READS)} | {count: rng.randint(0, 5) for count in COUNTS}
            values = {Bit(A): Fraction(state[A]), Bit(B): Fraction(state[B]), ranged: Fraction(rng.randint(-4, 8), 4)}
            for read in reads:
                off = error * rng.choice([0, 1, Fraction(rng.randint(0, 9), 9)])
                values[read] = max(1 - off, Fraction(0)) if state[read.formula] else min(off, ONE)
            for read in sums:
                values[read] = state[read.count] + error / weight * rng.choice(
                    [0, 1, -1, Fraction(rng.randint(-9, 9), 9)]
                )
            x = {d: sum(c * (values[t] if t else 1) for t, c in f.terms.items()) for d, f in carried.items()}
            hidden = [max(sum(w * x[d] for d, w in u.weights.items()) + u.bias, Fraction(0)) for u in part.hidden]
            actual = sum(c * hidden[k] for k, c in part.output["out"].items()) + part.bias.get("out", Fraction(0))
            low = high = Fraction(0)
            for atom, c in form.terms.items():
                if isinstance(atom, Ranged) and atom is not ranged:
                    ends = [None if end is None else c * end for end in (atom.low, atom.high)]
                    down, up = ends if c > 0 else ends[::-1]
                    low, high = (
                        (None if None in (low, down) else low + down),
                        (None if None in (high, up) else high + up),
                    )
                    continue
                new = isinstance(atom, Bit) and atom not in values
                value = c * (1 if atom is None else truth(atom.formula, state) if new else values[atom])
                low, high = (None if low is None else low + value), (None if high is None else high + value)
            assert low is None or low <= actual, (part, form.terms)
            assert high is None or actual <= high, (part, form.terms)
    assert exact > 500
    assert cleaned > 100
