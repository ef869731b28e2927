"""Every language of the zoo, compiled in both regimes: certified for all lengths, and on all short words."""

import pytest

from checker.certify.certificate import Outcome, certify
from checker.compile.compiler import compile_formula
from checker.logic.zoo import LANGUAGES

LONGEST = {1: 20, 2: 10, 3: 7, 4: 5}
"""The longest words that are all run, by the size of the alphabet."""


@pytest.mark.parametrize("regime", ["unbounded", "scaled"])
@pytest.mark.parametrize("name", sorted(LANGUAGES))
def test_certified(name, regime):
    language = LANGUAGES[name]
    model = compile_formula(language.formula, language.alphabet, regime=regime, acceptance=language.acceptance)
    longest = LONGEST.get(len(language.alphabet), 4)
    found = certify(model, longest, claimed=language.formula)
    assert found.outcome is Outcome.CERTIFIED
    assert found.agreement.lengths == longest
    assert found.agreement.words == sum(len(language.alphabet) ** n for n in range(1, longest + 1))
