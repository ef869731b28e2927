"""Translation validation: from the weights and positional expressions of a transformer alone, what it computes.

Layer by layer, what every direction of the residual stream carries at word positions and at the markers is derived for
all words of all lengths, up to the bit that the output reads: a formula in normal form, with the heads and the
clean-ups it rests on. Neither names nor the model's origin are used, except in messages.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from checker.certify.feed import Check, written
from checker.certify.form import Form, bit, literal, number, total
from checker.certify.heads import Reading, read
from checker.certify.place import UnclearError, content, power_law, temperature
from checker.certify.rational import Coefficient, Region, over
from checker.certify.score import applied
from checker.logic import normal
from checker.logic.normal import Normal
from checker.transformer.model import Transformer

_ONE = Fraction(1)


@dataclass(frozen=True)
class Scale:
    """The temperature: tau_0 times unit, a positive function of n; tau_0 = 0 stands for hard attention alone.

    exponent: d when unit is 1/(n + 2)^d; None when the temperature is no such power law (then tau_0 is 1).
    """

    tau0: Fraction
    unit: Coefficient
    exponent: int | None


@dataclass
class Understanding:
    """What was derived. formula: what the output reads, if all checks hold; None when it is not understood.

    problem: the first reason why it is not understood, naming the layer, head, unit or direction.
    """

    scale: Scale
    formula: Normal | None = None
    readings: list[Reading] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    problem: str | None = None


def label(model: Transformer, layer: int) -> int:
    """The number of a layer in messages: the first layer that has heads is 1, and one before it 0."""
    return layer + 1 - next((k for k, other in enumerate(model.layers) if other.heads), 0)


def scale_of(model: Transformer) -> Scale:
    """The temperature of the model; raises UnclearError when it is not shown to be positive for every n >= 1."""
    if model.temperature is None:
        return Scale(Fraction(0), _ONE, 0)
    tau = temperature(model.temperature)
    law = power_law(tau)
    if law is None:
        return Scale(_ONE, tau, None)
    return Scale(law[0], over(tau, law[0]), law[1])


def recognise(model: Transformer) -> Understanding:
    """Derive what the model computes, for hard attention and for softmax attention at its temperature."""
    try:
        scale = scale_of(model)
        contents = _embedding(model)
    except UnclearError as error:
        return Understanding(Scale(Fraction(0), _ONE, None), problem=str(error))
    result = Understanding(scale)
    for depth, layer in enumerate(model.layers):
        added: list[dict[Region, dict[str, Form]]] = []
        for place, head in enumerate(layer.heads):
            where = f"layer {label(model, depth)}, head {head.name}"
            output, reading = read(head, depth, place, contents, scale.unit, where)
            added.append(output)
            result.readings.append(reading)
        contents = _sum(contents, added)
        for step, part in enumerate(layer.feed_forward, start=1):
            output, checks = written(part, contents, f"layer {label(model, depth)}, feed-forward part {step}")
            result.checks += checks
            contents = _sum(contents, [output])
    _output(model, contents[Region.WORD], result)
    return result


def _embedding(model: Transformer) -> dict[Region, dict[str, Form]]:
    """What each direction carries before the first layer."""
    regions = {Region.BEGIN: model.begin, Region.WORD: None, Region.END: model.end}
    contents: dict[Region, dict[str, Form]] = {}
    for region, marker in regions.items():
        if region is not Region.WORD and marker is None:
            continue
        carried = contents.setdefault(region, {})
        for direction, expression in model.positional.items():
            try:
                carried[direction] = content(expression, region)
            except UnclearError as error:
                raise UnclearError(f"positional embedding {direction}: {error}") from None
    for region, marker in regions.items():
        if marker is not None:
            token = {direction: number(x) for direction, x in marker.items()}
            _add(contents[region], token)
    symbols: dict[str, dict[str, Fraction]] = {}
    for name in model.alphabet:
        for direction, x in model.embedding[name].items():
            symbols.setdefault(direction, {})[name] = x
    token = {direction: _symbols(weights, model.alphabet) for direction, weights in symbols.items()}
    _add(contents[Region.WORD], token)
    return contents


def _symbols(weights: dict[str, Fraction], alphabet: tuple[str, ...]) -> Form:
    """The embedding of a word's symbol in one direction; a constant when it is the same for all symbols."""
    values = [weights.get(name, Fraction(0)) for name in alphabet]
    if len(set(values)) == 1:  # every position carries exactly one symbol
        return number(values[0])
    return total((x, bit(normal.symbol(name))) for name, x in weights.items())


def _add(left: dict[str, Form], right: dict[str, Form]) -> None:
    for direction, form in right.items():
        left[direction] = total([(_ONE, left[direction]), (_ONE, form)]) if direction in left else form


def _sum(
    contents: dict[Region, dict[str, Form]], added: list[dict[Region, dict[str, Form]]]
) -> dict[Region, dict[str, Form]]:
    """The residual stream with what was written to it."""
    result = {region: dict(carried) for region, carried in contents.items()}
    for output in added:
        for region, carried in result.items():
            _add(carried, output[region])
    return result


def _output(model: Transformer, carried: dict[str, Form], result: Understanding) -> None:
    """The output must be b - 1/2 for a truth value b."""
    logit = total([(_ONE, applied(model.output.weights, carried)), (_ONE, number(model.output.bias))])
    formula = literal(total([(_ONE, logit), (_ONE, number(Fraction(1, 2)))]))
    if formula is not None:
        result.formula = formula
    elif logit.unknown is not None:
        result.problem = logit.unknown.reason
    else:
        result.problem = "the output is not a truth value minus 1/2"
