"""Random changes of single weights, masks, markers, positional expressions and temperatures of a transformer."""

from dataclasses import replace
from fractions import Fraction

from checker.attention import Mask, Tie
from checker.errors import InputError
from checker.position import parse


def mutate(rng, model):
    """The model with one random change; embeddings stay defined at all positions."""
    while True:
        change = rng.choice([_head, _head, _head, _unit, _unit, _unit, _output, _marker, _symbol, _positional, _other])
        changed = change(rng, model)
        if changed is not None and changed != model:
            return changed


def _number(rng, x):
    return rng.choice(
        [-x, x + 1, x - 1, 2 * x, x / 2, x + Fraction(1, 10**6), x * Fraction(9, 10), Fraction(1), -x / 3]
    )


def _vector(rng, vector, directions):
    """A coefficient changed, dropped, moved to another direction, or added."""
    result = dict(vector)
    if not result or rng.random() < 0.2:
        result[rng.choice(directions)] = Fraction(rng.choice([1, -1, 2]))
        return result
    direction = rng.choice(list(result))
    x = result.pop(direction)
    kind = rng.random()
    if kind < 0.5:
        result[direction] = _number(rng, x)
    elif kind < 0.8:
        result[rng.choice(directions)] = x
    return {d: x for d, x in result.items() if x}


def _head(rng, model):
    layers = [k for k, layer in enumerate(model.layers) if layer.heads]
    if not layers:
        return None
    where = rng.choice(layers)
    heads = list(model.layers[where].heads)
    k = rng.randrange(len(heads))
    head = heads[k]
    kind = rng.choice(["mask", "query", "key", "key", "value", "value", "ties", "swap"])
    if kind == "mask":
        heads[k] = replace(head, mask=rng.choice(list(Mask)))
    elif kind == "ties":
        heads[k] = replace(head, ties=rng.choice(list(Tie)))
    elif kind == "value":
        direction = rng.choice(list(head.value))
        value = {**head.value, direction: _vector(rng, head.value[direction], model.directions)}
        heads[k] = replace(head, value=value)
    elif not head.query:
        return None
    elif kind == "swap":
        heads[k] = replace(head, key=head.key[::-1])
    else:
        rows = list(getattr(head, kind))
        row = rng.randrange(len(rows))
        rows[row] = _vector(rng, rows[row], model.directions)
        heads[k] = replace(head, **{kind: tuple(rows)})
    return _with_layer(model, where, heads=tuple(heads))


def _unit(rng, model):
    layers = [k for k, layer in enumerate(model.layers) if layer.feed_forward]
    if not layers:
        return None
    where = rng.choice(layers)
    parts = list(model.layers[where].feed_forward)
    k = rng.randrange(len(parts))
    part = parts[k]
    kind = rng.choice(["weights", "bias", "output", "bias2"])
    hidden = list(part.hidden)
    u = rng.randrange(len(hidden))
    if kind == "weights":
        hidden[u] = replace(hidden[u], weights=_vector(rng, hidden[u].weights, model.directions))
        part = replace(part, hidden=tuple(hidden))
    elif kind == "bias":
        hidden[u] = replace(hidden[u], bias=_number(rng, hidden[u].bias))
        part = replace(part, hidden=tuple(hidden))
    elif kind == "output":
        direction = rng.choice(list(part.output))
        units = dict(part.output[direction])
        number = rng.choice(list(units))
        units[number] = _number(rng, units[number])
        part = replace(part, output={**part.output, direction: units})
    else:
        part = replace(part, bias={**part.bias, rng.choice(model.directions): Fraction(1, rng.choice([1, 4]))})
    parts[k] = part
    return _with_layer(model, where, feed_forward=tuple(parts))


def _output(rng, model):
    if rng.random() < 0.3:
        return replace(model, output=replace(model.output, bias=_number(rng, model.output.bias)))
    return replace(model, output=replace(model.output, weights=_vector(rng, model.output.weights, model.directions)))


def _marker(rng, model):
    which = rng.choice(["begin", "end"])
    marker = getattr(model, which)
    if marker is None:
        return None
    return replace(model, **{which: None if rng.random() < 0.3 else _vector(rng, marker, model.directions)})


def _symbol(rng, model):
    name = rng.choice(model.alphabet)
    return replace(model, embedding={**model.embedding, name: _vector(rng, model.embedding[name], model.directions)})


EXTRA = (
    "i",
    "n",
    "1",
    "i + 1",
    "[i == 1]",
    "[i % 2 == 1]",
    "[i <= n]*[1 <= i]",
    "1/(n + 2)",
    "1/(i + 1)",
    "i^2",
    "-i",
    "i/(n + 2)",
)


def _positional(rng, model):
    if not model.positional:
        return None
    name = rng.choice(list(model.positional))
    old = model.positional[name]
    text = rng.choice([
        f"2*({old})", f"-1*({old})", f"{old} + 1", f"{old} - i", f"({old})/(n + 2)", f"({old})*(n + 2)", f"({old})*i",
        f"{old} + 1/1000000", f"({old})*[i <= n]", f"({old})*[1 <= i]", rng.choice(EXTRA),
    ])  # fmt: skip
    try:
        return replace(model, positional={**model.positional, name: parse(text)})
    except InputError:
        return None


def _other(rng, model):
    if model.temperature is None:
        return None
    factor = rng.choice(["2", "1/2", "1/3", "(n + 2)", "1/(n + 2)", "1/n", "1/(n + 1)^3"])
    return replace(model, temperature=parse(f"({model.temperature})*({factor})"))


def _with_layer(model, where, **changes):
    layers = list(model.layers)
    layers[where] = replace(layers[where], **changes)
    return replace(model, layers=tuple(layers))
