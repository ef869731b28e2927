"""The benchmarks run, and measure what they say: the same words on both sides."""

import runpy
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "benchmarks"
CERTIFICATION = runpy.run_path(str(FOLDER / "certification.py"))


@pytest.mark.parametrize("text", CERTIFICATION["FORMULAS"].values())
def test_certification_goes_through_on_both_sides(text):
    assert CERTIFICATION["plain"](text, 4) > 0
    assert CERTIFICATION["certified"](text, 4) > 0


def test_a_wrong_model_is_not_measured():
    globals_of = CERTIFICATION["certified"].__globals__
    right = globals_of["model_of"]
    globals_of["model_of"] = lambda _: (right("a")[0], right("b")[1])
    try:
        with pytest.raises(RuntimeError, match="did not go through"):
            CERTIFICATION["certified"]("a", 2)
    finally:
        globals_of["model_of"] = right
