"""The certificate of a transformer: the argument for all lengths, and agreement on all words up to a length."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction

from checker.certify.canonical import as_formula, canonical
from checker.certify.exhaustive import Agreement, Temperature, Update, compare_all
from checker.certify.ledger import Argument, Ledger, ledger
from checker.certify.place import UnclearError
from checker.certify.recognise import Understanding, recognise, scale_of
from checker.errors import DisagreementError, InputError
from checker.exact import show
from checker.logic.formula import Formula
from checker.logic.normal import Normal
from checker.logic.normalise import normal
from checker.logic.semantics import evaluate
from checker.logic.text import parse_formula, short_text
from checker.transformer.model import Transformer
from checker.transformer.validate import validate
from checker.work.run import Work


class Outcome(Enum):
    """CERTIFIED: for all words of all lengths. REFUTED: a word shows it. UNDECIDED claims nothing."""

    CERTIFIED = "CERTIFIED"
    REFUTED = "REFUTED"
    UNDECIDED = "UNDECIDED"


EXIT_CODES = {Outcome.CERTIFIED: 0, Outcome.REFUTED: 1, Outcome.UNDECIDED: 2}


@dataclass(frozen=True)
class Certificate:
    """What was shown about a model.

    claimed: the formula that the model should compute (None: none was given; the runs are compared with `computed`).
    computed: the normal form read back from the weights, None if they are not understood. same: whether both have one
    normal form. reason: why the outcome is not CERTIFIED.
    """

    model: Transformer
    claimed: Formula | None
    found: Understanding
    ledger: Ledger
    computed: Normal | None
    same: bool
    agreement: Agreement
    outcome: Outcome
    reason: str | None


def claim_of(model: Transformer) -> Formula | None:
    """The formula that the model says it was compiled from; nothing is concluded from it."""
    text = model.origin.get("formula")
    if not isinstance(text, str):
        return None
    try:
        return parse_formula(text)
    except InputError as error:
        raise InputError(f"origin.formula: {error}") from None


def with_temperature(model: Transformer, tau0: Fraction | None) -> tuple[Transformer, Temperature]:
    """The model with tau_0 in its temperature tau_0/(n + 2)^d replaced, and its temperature as a function of n.

    A model without temperature gets the constant tau_0. Raises InputError for tau_0 <= 0 and for a temperature of
    another form.
    """
    from checker.position import add, div, number, power, variable

    if tau0 is not None:
        if tau0 <= 0:
            raise InputError(f"the temperature must be > 0, got {show(tau0)}")
        try:
            scale = scale_of(model)
        except UnclearError as error:
            raise InputError(str(error)) from None
        if scale.exponent is None:
            raise InputError(
                f"the temperature {model.temperature} is not of the form tau_0/(n + 2)^d, so tau_0 cannot be replaced"
            )
        positions = add(variable("n"), number(2))
        tau = number(tau0) if scale.exponent == 0 else div(number(tau0), power(positions, scale.exponent))
        model = replace(model, temperature=tau)
    expression = model.temperature
    return model, None if expression is None else lambda n: expression.at(0, n)


def certify(
    model: Transformer,
    longest: int,
    *,
    claimed: Formula | None = None,
    tau0: Fraction | None = None,
    update: Update | None = None,
    work: Work | None = None,
) -> Certificate:
    """Certify a model: for all lengths from its weights alone, and by agreement on all words of length 1..longest.

    claimed: what it should compute; None: what its weights are read to compute. tau0: replaces the model's tau_0.
    work: who runs the words. Raises InputError for bad input, and DisagreementError if a run contradicts what was
    proved.
    """
    validate(model)
    model, tau = with_temperature(model, tau0)
    found = recognise(model)
    judged = ledger(model, found)
    computed = None if found.formula is None else canonical(found.formula, model.alphabet)
    target = claimed if claimed is not None else None if computed is None else as_formula(computed)
    same = computed is not None and target is not None and canonical(normal(target), model.alphabet) is computed
    agreement = compare_all(model, target, longest, tau, update, work)
    if judged.argument is Argument.PROVED:
        _check_proof(model, computed, same, agreement)
    outcome, reason = _judge(judged, computed, same, agreement)
    return Certificate(model, claimed, found, judged, computed, same, agreement, outcome, reason)


def _check_proof(model: Transformer, computed: Normal | None, same: bool, agreement: Agreement) -> None:
    """A run that contradicts the formula proved is a fault of this program."""
    first = agreement.disagreement
    if first is None or computed is None:
        return
    word = [[model.alphabet.index(s) for s in first.word]]
    truth = bool(evaluate(as_formula(computed), word, model.alphabet)[0, first.position - 1])
    soft = first.soft is not None and (first.soft[1] <= 0 if truth else first.soft[0] > 0)
    if same or truth != (first.hard > 0) or soft:
        raise DisagreementError(
            f"the runs contradict the argument for all lengths, on the word {' '.join(first.word)} at position "
            f"{first.position}: please report this"
        )


def _judge(judged: Ledger, computed: Normal | None, same: bool, agreement: Agreement) -> tuple[Outcome, str | None]:
    if agreement.disagreement is not None:
        return Outcome.REFUTED, judged.reason
    if judged.argument is not Argument.PROVED or computed is None:
        return Outcome.UNDECIDED, judged.reason
    if not same:
        text = short_text(as_formula(computed), 200)
        return Outcome.UNDECIDED, f"the weights compute {text}, which is not the same formula up to normal form"
    if agreement.undecided:
        return Outcome.UNDECIDED, f"the soft run is undecided on {len(agreement.undecided)} words"
    return Outcome.CERTIFIED, None
