"""Transformers as files: round trip over random models, and one refusal per check, each naming its path."""

import json
import os
import stat
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from spec_fixture import EXAMPLE, changed, example, without

from checker.attention import Mask, Tie
from checker.errors import InputError
from checker.position import parse
from checker.transformer import specfile, strategies
from checker.transformer.model import FeedForward, Head, Layer, Transformer, Unit
from checker.transformer.specfile import dumps, loads, read, write
from checker.transformer.validate import faults, validate

HEAD = ("layers", 0, "heads", 0)
PART = ("layers", 0, "feed_forward", 0)


def test_example_means_what_it_says() -> None:
    model = example()
    assert model.alphabet == ("a", "b")
    assert model.embedding == {"a": {}, "b": {"b": Fraction(1)}}
    assert model.begin == {"over 9": Fraction(1, 3)}
    assert model.end is None
    assert model.positional == {"place": parse("i/(n+1)")}
    (layer,) = model.layers
    assert layer.heads[0] == Head(
        "newest",
        ({"place": Fraction(1, 2)},),
        ({"place": Fraction(3)},),
        {"read": {"b": Fraction(1), "over 9": Fraction(-2)}},
        Mask.FUTURE,
        Tie.AVERAGE,
    )
    assert (layer.heads[1].mask, layer.heads[1].ties, layer.heads[1].query) == (Mask.NONE, Tie.LEFTMOST, ())
    hidden = (Unit({"read": Fraction(2)}, Fraction(-1)), Unit({"over 9": Fraction(1, 4)}, Fraction(0)))
    output = {"b": {0: Fraction(1), 1: Fraction(-5, 7)}}
    assert layer.feed_forward == (FeedForward(hidden, output, {"place": Fraction(1)}),)
    assert (model.output.bias, model.output.position) == (Fraction(-1, 2), "last")
    assert model.temperature == parse("1/(n+2)")
    assert model.origin == {"made by": ["hand", 1, None, True]}
    assert loads(dumps(model)) == model


@settings(max_examples=80, deadline=None)
@given(model=strategies.transformers())
def test_round_trip(model: Transformer) -> None:
    text = dumps(model)
    assert loads(text) == model
    assert dumps(loads(text)) == text
    assert max(map(len, text.splitlines())) <= 200


def test_what_may_be_left_out() -> None:
    least = {key: EXAMPLE[key] for key in ("format", "version", "alphabet", "embedding", "output", "directions")}
    model = loads(json.dumps({**least, "layers": [{}]}))
    assert model == Transformer(
        "", model.alphabet, model.directions, model.embedding, None, None, {}, (Layer((), ()),), model.output
    )
    part = loads(without((*PART, "bias"))).layers[0].feed_forward[0]
    assert part.bias == {}


def test_numbers_are_exact() -> None:
    for written, value in [("1/3", Fraction(1, 3)), ("1e-3", Fraction(1, 1000)), (-7, Fraction(-7))]:
        assert loads(changed(("embedding", "b", "b"), written)).embedding["b"]["b"] == value
    text = changed(("embedding", "b", "b"), "@").replace('"@"', "0.1")
    assert loads(text).embedding["b"]["b"] == Fraction(1, 10)
    large = replace(example(), embedding={"a": {}, "b": {"b": Fraction(2**60 + 1)}})
    assert str(2**60 + 1) in dumps(large)
    assert f'"{2**60 + 1}"' in dumps(large)
    assert loads(dumps(large)) == large


TEXTS = {
    "{": "not JSON: ",
    "": "not JSON: Expecting value in line 1, column 1",
    "[1, 2]": "the file: expected an object {...}, got a list",
    "[" * 10**5: "nested too deeply",
    "{}": "the file: the key 'format' is missing",
    changed(("format",), "other"): "format: expected 'hardsoft-transformer', got 'other'",
    changed(("version",), 2): "version: this program reads version 1, got 2",
    changed(("version",), True): "version: this program reads version 1, got True",
    changed(("nmae",), "x"): "nmae: unknown key; known here: format, version, alphabet",
    changed((*HEAD, "qeury"), []): "layers[0].heads[0].qeury: unknown key; known here: name, mask",
    without((*HEAD, "mask")): "layers[0].heads[0]: the key 'mask' is missing",
    without((*PART, "hidden")): "layers[0].feed_forward[0]: the key 'hidden' is missing",
    changed(("layers", 0), 3): "layers[0]: expected an object {...}, got 3",
    changed(("layers",), None): "layers: expected a list [...], got null",
    changed((*HEAD, "query"), {}): "layers[0].heads[0].query: expected a list [...], got an object",
    changed((*HEAD, "query", 0, "foo"), 1): "layers[0].heads[0].query[0].foo: not one of the directions",
    changed((*HEAD, "key", 0, "place"), "1/0"): "layers[0].heads[0].key[0].place: '1/0' has denominator 0",
    changed((*HEAD, "key", 0, "place"), True): "layers[0].heads[0].key[0].place: expected a number such as 3",
    changed((*HEAD, "key", 0, "place"), "i"): "layers[0].heads[0].key[0].place: 'i' is not a number",
    changed((*HEAD, "key", 0, "over 9"), []): "layers[0].heads[0].key[0]['over 9']: expected a number",
    changed((*HEAD, "key", 0, "place"), "10^4000"): "key[0].place: a weight has at most 10000 bits",
    changed((*HEAD, "key", 0, "place"), "1e1000001"): "the exponent of '1e1000001' exceeds 1000000",
    changed((*HEAD, "key"), []): "layers[0].heads[0]: query and key need equally many rows, got 1 and 0",
    changed((*HEAD, "mask"), "causal"): "layers[0].heads[0].mask: expected one of none, future, strict-future",
    changed((*HEAD, "mask"), ["none"]): "layers[0].heads[0].mask: expected one of none, future, strict-future",
    changed((*HEAD, "ties"), "mean"): "layers[0].heads[0].ties: expected one of leftmost, rightmost, average",
    changed((*HEAD, "name"), "mean"): "layers[0].heads[1].name: 'mean' is already the name of layers[0].heads[0]",
    changed((*HEAD, "name"), ""): "layers[0].heads[0].name: a name is a printable text",
    changed((*HEAD, "name"), 3): "layers[0].heads[0].name: expected a text, got 3",
    changed((*HEAD, "value", "foo"), {}): "layers[0].heads[0].value.foo: not one of the directions",
    changed((*HEAD, "value", "read", "foo"), 1): "layers[0].heads[0].value.read.foo: not one of the directions",
    changed((*PART, "hidden", 1, "weights", "foo"), 1): "layers[0].feed_forward[0].hidden[1].weights.foo: not one of",
    changed((*PART, "hidden", 1, "bias"), "x"): "layers[0].feed_forward[0].hidden[1].bias: 'x' is not a number",
    changed((*PART, "output", "b", "2"), 1): "layers[0].feed_forward[0].output.b: no hidden unit 2; they are 0..1",
    changed((*PART, "output", "b", "01"), 1): "output.b['01']: keys are the numbers of hidden units, 0..1, got '01'",
    changed((*PART, "output", "foo"), {}): "layers[0].feed_forward[0].output.foo: not one of the directions",
    changed((*PART, "bias", "foo"), 1): "layers[0].feed_forward[0].bias.foo: not one of the directions",
    changed(("alphabet",), []): "alphabet: expected at least one symbol",
    changed(("alphabet",), ["a", "b", "a"]): "alphabet[2]: the symbol 'a' is already at alphabet[0]",
    changed(("alphabet", 1), "\n"): "alphabet[1]: a symbol is a printable text",
    changed(("alphabet", 1), 3): "alphabet[1]: expected a text, got 3",
    changed(("alphabet",), ["a", "b", "c"]): "embedding: the symbol 'c' has no vector",
    changed(("directions", 0), "place"): "directions[1]: the direction 'place' is already at directions[0]",
    changed(("directions",), []): "directions: expected at least one direction",
    changed(("directions", 0), "x" * 1001): "directions[0]: a direction is a printable text of 1 to 1000",
    changed(("embedding", "c"), {}): "embedding.c: not a symbol of the alphabet",
    changed(("embedding", "a", "foo"), 1): "embedding.a.foo: not one of the directions",
    changed(("begin", "foo"), 1): "begin.foo: not one of the directions",
    changed(("end",), {"foo": 1}): "end.foo: not one of the directions",
    changed(("positional", "foo"), "i"): "positional.foo: not one of the directions",
    changed(("positional", "place"), "i +"): "positional.place: 'i +', column 4: found the end, expected",
    changed(("positional", "place"), []): "positional.place: expected an expression in i and n",
    changed(("positional", "place"), "1/i"): "positional.place: 1/i at i = 0, n = 1: division by zero",
    changed(("output", "weights", "foo"), 1): "output.weights.foo: not one of the directions",
    changed(("output", "bias"), None): "output.bias: expected a number such as 3",
    changed(("output", "position"), "middle"): "output.position: expected one of first, last, got 'middle'",
    changed(("temperature",), "1/(i + 1)"): "temperature: the temperature depends on the length n only, got 1/(i + 1)",
    changed(("temperature",), "n - 3"): "temperature: must be positive, is -2 for n = 1",
    changed(("temperature",), "1/(n - 2)"): "temperature: must be positive, is -1 for n = 1",
    changed(("temperature",), "1/(4 - n)"): "temperature: 1/(4 - n) at i = 0, n = 4: division by zero",
    changed(("name",), "two\nlines"): "name: expected a printable text",
    changed(("origin",), []): "origin: expected an object {...}, got a list",
    changed(("origin", "x"), 0.5): "origin.x: expected an integer, or the number as a text, got 0.5",
    changed(("origin", "x"), "\ud800"): "origin.x: not a text that UTF-8 can hold",
    changed(("origin", "x"), json.loads("[" * 60 + "]" * 60)): "nested more than 50 deep",
    changed(("origin", "x"), 1).replace('"x": 1', '"x": NaN'): "NaN is not a number of a transformer",
    changed(("origin", "x"), 1).replace('"x": 1', '"x": ' + "1" * 5000): "an integer of 5000 digits",
    json.dumps(EXAMPLE).replace('"name": "example"', '"name": "x", "name": "y"'): "name: the key occurs twice",
    json.dumps(EXAMPLE).replace(
        '"place": 3', '"place": 3, "place": 3'
    ): "layers[0].heads[0].key[0].place: the key occurs",
    json.dumps(EXAMPLE).replace('"made by"', '"x": {"y": 1, "y": 1}, "made by"'): "origin.x.y: the key occurs twice",
}


@pytest.mark.parametrize(
    ("text", "message"), TEXTS.items(), ids=[f"{k}-{m[:40]}" for k, m in enumerate(TEXTS.values())]
)
def test_refused_texts(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        loads(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


def test_every_change_of_type_is_refused_in_one_line() -> None:
    """Any value of the example replaced by one of another type: refused, or a model that makes the round trip."""

    def paths(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
        items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        return [found for key, item in items for found in [(*path, key), *paths(item, (*path, key))]]

    refused = 0
    for path in paths(EXAMPLE):
        for other in (None, True, 7, "x", [], {}, [[]], {"x": {}}):
            try:
                model = loads(changed(path, other))
            except InputError:
                refused += 1
                continue
            assert loads(dumps(model)) == model
    assert refused > 400


F = Fraction
BROKEN = {
    "alphabet: expected at least one symbol, got ['a']": {"alphabet": ["a"]},
    "alphabet[0]: a symbol is a printable text": {"alphabet": (3, "b")},
    "directions: expected at least one direction, got 'abc'": {"directions": "abc"},
    "embedding: expected one vector for every symbol, got None": {"embedding": None},
    "embedding.a: expected numbers by direction, got 3": {"embedding": {"a": 3, "b": {}}},
    "embedding.a.b: expected a Fraction, got int 1": {"embedding": {"a": {"b": 1}, "b": {}}},
    "embedding.a.b: expected a Fraction, got float 0.5": {"embedding": {"a": {"b": 0.5}, "b": {}}},
    "positional: expected one expression per direction": {"positional": []},
    "positional.b: expected an expression in i and n, got 'i'": {"positional": {"b": "i"}},
    "temperature: expected an expression in n or none, got 1": {"temperature": 1},
    "layers: expected a tuple of layers, got list": {"layers": []},
    "layers[0]: expected a Layer with": {"layers": (Layer([], ()),)},
    "layers[0].heads[0]: expected a Head, got 3": {"layers": (Layer((3,), ()),)},
    "layers[0].heads[0]: query and key must be tuples": {
        "layers": (Layer((Head("h", [], [], {}, Mask.NONE, Tie.AVERAGE),), ()),)
    },
    "layers[0].heads[0].value: expected one linear form": {
        "layers": (Layer((Head("h", (), (), [], Mask.NONE, Tie.AVERAGE),), ()),)
    },
    "layers[0].heads[0].mask: expected one of none": {
        "layers": (Layer((Head("h", (), (), {}, "none", Tie.AVERAGE),), ()),)
    },
    "layers[0].heads[0].ties: expected one of left": {
        "layers": (Layer((Head("h", (), (), {}, Mask.NONE, "mean"),), ()),)
    },
    "layers[0].feed_forward[0]: expected a FeedForward": {"layers": (Layer((), (FeedForward([], {}, {}),)),)},
    "layers[0].feed_forward[0].hidden[0]: expected a Unit": {"layers": (Layer((), (FeedForward((3,), {}, {}),)),)},
    "output.b: expected coefficients": {"layers": (Layer((), (FeedForward((), {"b": 3}, {}),)),)},
    "output.b: no hidden unit 0; there is none": {"layers": (Layer((), (FeedForward((), {"b": {0: F(1)}}, {}),)),)},
    "output: expected an Output, got None": {"output": None},
    "origin: keys are texts, got 3": {"origin": {3: 4}},
    "origin.x: expected text, an integer, true, false, null, a list or an object, got 0.5": {"origin": {"x": 0.5}},
    "origin.x: an integer has at most 10000 bits": {"origin": {"x": 2**10000}},
}


@pytest.mark.parametrize("message", BROKEN)
def test_refused_models(message: str) -> None:
    broken = replace(example(), **BROKEN[message])  # type: ignore[arg-type]
    with pytest.raises(InputError) as caught:
        validate(broken)
    assert message in str(caught.value)
    with pytest.raises(InputError):
        dumps(broken)


def test_all_faults_are_found() -> None:
    broken = replace(example(), name=3, temperature=parse("i"), output=None)  # type: ignore[arg-type]
    assert [path for path, _ in faults(broken)] == ["name", "temperature", "output"]
    with pytest.raises(InputError, match=r"and 2 more faults\)$"):
        validate(broken)
    assert validate(example()) == example()
    with pytest.raises(InputError, match="expected a Transformer, got int"):
        validate(3)  # type: ignore[arg-type]


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    write(path, example())
    assert read(path) == example()
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert read(path) == example()
    path.write_bytes(b"\xff")
    with pytest.raises(InputError, match=r"model.json: not a UTF-8 text \(byte 0\)"):
        read(path)
    path.write_text(changed(("version",), 2))
    with pytest.raises(InputError, match=r"model.json: version: this program reads version 1, got 2"):
        read(path)
    with pytest.raises(InputError, match=r"cannot be read \(No such file"):
        read(tmp_path / "none.json")
    with pytest.raises(InputError, match=r"cannot be read \(Is a directory"):
        read(tmp_path)


def test_writing_is_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.json"
    write(path, example())
    before = path.read_bytes()
    with pytest.raises(InputError, match="name: expected a printable text"):
        write(path, replace(example(), name="\n"))
    with pytest.raises(InputError, match=r"cannot write .*: No such file"):
        write(tmp_path / "none" / "model.json", example())

    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(specfile.os, "fsync", fail)
    with pytest.raises(InputError, match=r"cannot write .*: No space left on device"):
        write(path, replace(example(), name="other"))
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["model.json"]


def test_files_that_are_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.json"
    write(path, example())
    monkeypatch.setattr(specfile, "MAX_BYTES", 100)
    with pytest.raises(InputError, match="more than 100 bytes"):
        read(path)
    with pytest.raises(InputError, match="takes more than 100 bytes"):
        write(path, example())
