"""Random transformers, and a naive softmax run with mpmath that shares no code with the runs under test."""

from fractions import Fraction

import mpmath

from checker.attention import Mask, Tie
from checker.position import parse
from checker.transformer.model import FeedForward, Head, Layer, Output, Transformer, Unit

DIRECTIONS = ("a", "b", "u", "v", "w", "p", "r")


def _weight(rng, size, denominator=4):
    return Fraction(int(rng.integers(-size * denominator, size * denominator + 1)), denominator)


def _vector(rng, size, most=3):
    count = int(rng.integers(0, most + 1))
    chosen = rng.choice(len(DIRECTIONS), count, replace=False)
    return {DIRECTIONS[k]: _weight(rng, size) for k in chosen}


def random_model(rng, layers=2, size=2, tau="1"):
    """A random transformer over {a, b} with dead, uniform, exact and inexact heads, all masks, all kinds of parts."""
    masks = list(Mask)
    positional = [
        {"p": "i", "r": "1/(n + 2)"},
        {"p": "i/(n + 1)", "r": "[i % 2 == 1]"},
        {"p": "[i == 1]", "r": "1/(i + 1)"},
    ]
    chosen = positional[int(rng.integers(len(positional)))]
    built = []
    for number in range(layers):
        heads = []
        for h in range(int(rng.integers(1, 3))):
            rows = int(rng.integers(0, 3))
            heads.append(
                Head(
                    f"h{number}{h}",
                    tuple(_vector(rng, size) for _ in range(rows)),
                    tuple(_vector(rng, size) for _ in range(rows)),
                    {
                        DIRECTIONS[int(k)]: _vector(rng, 2)
                        for k in rng.choice(5, int(rng.integers(1, 3)), replace=False)
                    },
                    masks[int(rng.integers(len(masks)))],
                    Tie.AVERAGE,
                )
            )
        parts = []
        for _ in range(int(rng.integers(0, 3))):
            base, hidden = _vector(rng, 2), []
            for _ in range(int(rng.integers(1, 5))):
                factor = _weight(rng, 2)
                form = {d: factor * c for d, c in base.items()} if rng.random() < 0.6 else _vector(rng, 2)
                hidden.append(Unit(form, _weight(rng, 2)))
            output = {
                DIRECTIONS[int(d)]: {int(u): _weight(rng, 1) for u in rng.choice(len(hidden), 1 + len(hidden) // 2)}
                for d in rng.choice(5, 2, replace=False)
            }
            parts.append(FeedForward(tuple(hidden), output, _vector(rng, 1, 1)))
        built.append(Layer(tuple(heads), tuple(parts)))
    marker = [None, _vector(rng, 2), {"w": Fraction(1)}]
    return Transformer(
        name="random",
        alphabet=("a", "b"),
        directions=DIRECTIONS,
        embedding={"a": {"a": Fraction(1), "u": _weight(rng, 1)}, "b": {"b": Fraction(1), "v": _weight(rng, 1)}},
        begin=marker[int(rng.integers(3))],
        end=marker[int(rng.integers(3))],
        positional={d: parse(text) for d, text in chosen.items()},
        layers=tuple(built),
        output=Output({d: _weight(rng, 1) for d in ("u", "v", "w", "p")}, _weight(rng, 1), "last"),
        temperature=parse(tau),
    )


def copy_model(tau="1/4"):
    """Two layers: x_u reads the previous symbol's [a] and is cleaned up, y_v reads [a] two positions before."""
    one = Fraction(1)
    a = Fraction(1, 4)
    layers = []
    for source, target, clean in (("a", "u", "U"), ("U", "v", "V")):
        head = Head(target, ({"one": one},), ({"p": one},), {target: {source: one}}, Mask.STRICT_FUTURE, Tie.AVERAGE)
        form = {target: one, "word": one}
        units = (Unit(form, -1 - a), Unit(form, -2 + a))
        part = FeedForward(units, {clean: {0: 1 / (1 - 2 * a), 1: -1 / (1 - 2 * a)}}, {})
        layers.append(Layer((head,), (part,)))
    return Transformer(
        name="copy",
        alphabet=("a", "b"),
        directions=("a", "b", "word", "u", "U", "v", "V", "p", "one"),
        embedding={"a": {"a": one, "word": one}, "b": {"b": one, "word": one}},
        begin={},
        end={},
        positional={"p": parse("i"), "one": parse("1")},
        layers=tuple(layers),
        output=Output({"V": one}, Fraction(-1, 2), "last"),
        temperature=parse(tau),
    )


def naive_run(model, word, tau, digits=80):
    """The logits at word positions, by plain mpmath arithmetic: the definition, read off the model's fields."""
    n = len(word)
    with mpmath.workdps(digits):

        def real(x):
            return mpmath.mpf(x.numerator) / x.denominator

        def form(weights, x):
            return mpmath.fsum(real(c) * x[d] for d, c in weights.items())

        tokens = [model.embedding[s] for s in word]
        if model.begin is not None:
            tokens.insert(0, model.begin)
        if model.end is not None:
            tokens.append(model.end)
        start = 0 if model.begin is not None else 1
        xs = []
        for place, token in enumerate(tokens):
            x = {d: real(token.get(d, Fraction(0))) for d in model.directions}
            for d, expression in model.positional.items():
                x[d] += real(expression.at(start + place, n))
            xs.append(x)
        for layer in model.layers:
            added = [dict.fromkeys(model.directions, mpmath.mpf(0)) for _ in xs]
            for head in layer.heads:
                for i, x in enumerate(xs):
                    seen = [j for j in range(len(xs)) if _sees(head.mask, i, j)]
                    if not seen:
                        continue
                    scores = [
                        mpmath.fsum(form(q, x) * form(k, xs[j]) for q, k in zip(head.query, head.key, strict=True))
                        for j in seen
                    ]
                    top = max(scores)
                    powers = [mpmath.exp((s - top) / real(tau)) for s in scores]
                    for d, value in head.value.items():
                        mean = mpmath.fsum(e * form(value, xs[j]) for e, j in zip(powers, seen, strict=True))
                        added[i][d] += mean / mpmath.fsum(powers)
            xs = [{d: x[d] + more[d] for d in x} for x, more in zip(xs, added, strict=True)]
            for part in layer.feed_forward:
                after = []
                for x in xs:
                    units = [max(mpmath.mpf(0), form(u.weights, x) + real(u.bias)) for u in part.hidden]
                    y = dict(x)
                    for d, combination in part.output.items():
                        y[d] += mpmath.fsum(real(c) * units[k] for k, c in combination.items())
                    for d, c in part.bias.items():
                        y[d] += real(c)
                    after.append(y)
                xs = after
        words = xs[1 - start : 1 - start + n]
        return [form(model.output.weights, x) + real(model.output.bias) for x in words]


def _sees(mask, i, j):
    return {
        Mask.NONE: True,
        Mask.FUTURE: j <= i,
        Mask.STRICT_FUTURE: j < i,
        Mask.PAST: j >= i,
        Mask.STRICT_PAST: j > i,
    }[mask]
