"""Every example is simulated: certified a priori, run on all words, and refused just above the largest temperature."""

import pytest

from checker.general.aposteriori import RATIO
from checker.general.simulate import simulate
from checker.transformer.examples import EXAMPLES
from checker.transformer.soft import run_soft
from checker.verdict import Verdict

LENGTH = 5


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_simulated(name):
    example = EXAMPLES[name]
    found = simulate(example.model(), LENGTH)
    works, fails = found.bracket.works, found.bracket.fails
    assert found.at_tau.verdict is Verdict.HOLDS
    assert found.at_tau.tau == found.best <= works.tau * RATIO
    assert works.verdict is Verdict.HOLDS
    assert fails.verdict is Verdict.FAILS
    assert works.tau < fails.tau <= works.tau * RATIO
    # The refused word, run on its own, is decided differently from the hard run.
    word = [found.model.alphabet[symbol] for symbol in fails.witness]
    verdicts = run_soft(found.model, word, fails.tau).verdicts
    at = 0 if found.model.output.position == "first" else -1
    assert verdicts[at] is (Verdict.FAILS if example.decide("".join(word)) else Verdict.HOLDS)
    assert found.escaped is not None
