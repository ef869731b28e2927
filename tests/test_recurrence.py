"""The a-priori bounds of section E dominate the true error, layer by layer; and no ingredient can be left out."""
# ruff: noqa: ARG001, ARG005 -- a mutant has the parameters of what it replaces

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulate_fixture import F, all_words, cases, models, true_errors

from checker.attention import Tie
from checker.ball import endpoints
from checker.decide import Expression
from checker.env import Env
from checker.errors import InputError
from checker.general import pieces, plain, recurrence, window
from checker.general.apriori import best_tau, decide, ledger, within
from checker.general.gaps import Arguments, measure
from checker.general.plain import Constants
from checker.general.profile import HeadProfile, profile
from checker.general.ties import break_ties, has_ties
from checker.general.upward import LEAST, above, up
from checker.transformer.hard import linear, run_hard
from checker.transformer.piecewise import Piecewise
from checker.transformer.strategies import transformers
from proofs.a_softmax_gap.a6_tieless import BOUND as A6
from proofs.a_softmax_gap.a8_window import WORST as A8
from proofs.e_general import e1_layer, e5_tieless

TAUS = (F(1, 8), F(1, 2), F(1), F(4))


def by_direction(found):
    """Per layer, the errors of the sharp ledger."""
    return [layer.leaving for layer in found.layers]


def violation(measured, tau, errors, mode="sharp", known=None):
    """What the ledger claims and the true run refutes; None if it dominates."""
    found = ledger(measured, tau, mode, known)
    layers, logit = errors
    for number, true in enumerate(layers):
        for d, error in true.items():
            bound = by_direction(found)[number].get(d, F(0)) if mode == "sharp" else found.delta[number + 1]
            if error > bound:
                return f"layer {number + 1}, {d}: {float(error)} > {float(bound)}"
    return f"logit: {float(logit)} > {float(found.logit)}" if logit > found.logit else None


# -- soundness ------------------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(small=transformers(), n=st.integers(1, 3), tau=st.sampled_from(TAUS))
def test_the_sharp_ledger_dominates_the_true_error(small, n, tau):
    measured = measure(small, n)
    errors = true_errors(small, n, tau)
    assert violation(measured, tau, errors) is None
    assert violation(measured, tau, errors, known=profile(measured)) is None


@settings(max_examples=25, deadline=None)
@given(small=transformers(), n=st.integers(1, 3), tau=st.sampled_from(TAUS))
def test_the_recurrences_as_stated_dominate_it_too(small, n, tau):
    measured = measure(small, n)
    if has_ties(measured):
        small = break_ties(measured).model
        measured = measure(small, n)
    errors = true_errors(small, n, tau)
    assert violation(measured, tau, errors, "plain") is None
    if plain.tieless(measured):
        assert violation(measured, tau, errors, "tieless") is None


def test_all_ledgers_dominate_on_the_models_that_catch_mutants():
    for measured, known, tau, errors in cases():
        name = measured.model.name
        assert violation(measured, tau, errors) is None, name
        assert violation(measured, tau, errors, known=known) is None, name
        if not has_ties(measured):
            assert violation(measured, tau, errors, "plain") is None, name
            if plain.tieless(measured):
                assert violation(measured, tau, errors, "tieless") is None, name


def test_sharp_is_at_most_plain_and_never_below_zero():
    for measured, known, tau, _ in cases():
        if not has_ties(measured):
            deltas = [ledger(measured, tau, *more).delta for more in (("sharp", known), ("sharp",), ("plain",))]
            assert all(0 <= a <= b <= c for a, b, c in zip(*deltas, strict=True)), measured.model.name


def test_a_head_alone_is_exact_up_to_rounding():
    """One layer: A2 is attained when every other score is exactly a gap below, here for n = 2."""
    one = next(models())
    for tau in TAUS:
        true = true_errors(one, 2, tau)[1]
        assert 0 <= ledger(measure(one, 2), tau).logit - true <= F(1, 10**15)


# -- mutants --------------------------------------------------------------------------------------------------------


def drop(name):
    """Scores move by less than E1.product allows for."""

    def mutant(head, facts, errors, known=None):
        total = F(0)
        for query, key, largest_query, largest_key in zip(head.query, head.key, facts.query, facts.key, strict=True):
            dq, dk = recurrence.moved(query, errors), recurrence.moved(key, errors)
            terms = {"Q dk": largest_query * dk, "K dq": largest_key * dq, "dq dk": dq * dk}
            total += sum(value for term, value in terms.items() if term != name)
        return total

    return mutant


ORIGINAL_WEIGHTS = window.weight_error
ORIGINAL_CHANGE = pieces.change
ORIGINAL_RESIDUAL = recurrence.residual
ORIGINAL_MOVED = recurrence.moved


def head_without(term):
    def mutant(head, facts, errors, tau, known=None):
        eta = recurrence.score_error(head, facts, errors, known)
        tv = recurrence.choice_error(head, facts, eta, tau, known)
        written = {}
        for d, form in head.value.items():
            low, high = facts.value[d]
            width = max(abs(low), abs(high)) if term == "diameter" else high - low
            moved = F(0) if term == "values" else ORIGINAL_MOVED(form, errors)
            written[d] = (F(0) if term == "weights" else tv * width) + moved
        return recurrence.HeadError(head.name, facts.kind, facts.gap, eta, tv, written)

    return mutant


def only_largest(errors, outputs):
    outputs = list(outputs)
    largest = {d: max(o.get(d, F(0)) for o in outputs) for o in outputs for d in o}
    return ORIGINAL_RESIDUAL(errors, [largest])


def keeps_only_written(part, arguments, errors):
    result = {}
    for one, taken in zip(part.parts, arguments, strict=True):
        eps = ORIGINAL_MOVED({d: F(c) for d, c in one.form}, errors)
        for d, function in one.functions.items():
            result[d] = result.get(d, F(0)) + ORIGINAL_CHANGE(function, taken, eps)
    return {**{d: e for d, e in errors.items() if d not in part.written}, **result}


def slope_at(function, taken, eps):
    """Only the slopes at the arguments themselves."""
    if taken.values is None:
        return ORIGINAL_CHANGE(function, taken, eps)
    pieces_taken = [sum(point < u for point in function.breakpoints) for u in taken.values]
    return max(abs(function.slopes[piece]) for piece in pieces_taken) * eps


def first_half(counts):
    return [(max(k, (n + 1) // 2), k) for n, k in counts]


WEIGHTS = {
    "no term eta": lambda c, g, eta, tau, d=None: ORIGINAL_WEIGHTS(c, g, F(0), tau),
    "eta/2": lambda c, g, eta, tau, d=None: ORIGINAL_WEIGHTS(c, g, eta / 2, tau),
    "k = 1 for all": lambda c, g, eta, tau, d=None: ORIGINAL_WEIGHTS(
        [(n if n > k else 1, 1) for n, k in c], g, eta, tau
    ),
    "k = n for all": lambda c, g, eta, tau, d=None: ORIGINAL_WEIGHTS([(n, n) for n, _ in c], None, eta, tau),
    "fewer positions": lambda c, g, eta, tau, d=None: ORIGINAL_WEIGHTS(first_half(c), g, eta, tau),
    "twice the gap": lambda c, g, eta, tau, d=None: ORIGINAL_WEIGHTS(c, None if g is None else 2 * g, eta, tau),
    "only tanh": lambda c, g, eta, tau, d=None: min(F(1), eta / (2 * tau)),
}
MUTANTS = {
    **{name: ("weight_error", mutant) for name, mutant in WEIGHTS.items()},
    **{f"no term {name}": ("score_error", drop(name)) for name in ("Q dk", "K dq", "dq dk")},
    **{f"head without {term}": ("head_error", head_without(term)) for term in ("weights", "values", "diameter")},
    "no residual": ("residual", lambda errors, outputs: ORIGINAL_RESIDUAL({}, outputs)),
    "one head per direction": ("residual", only_largest),
    "no residual in feed-forward parts": ("feed_forward", keeps_only_written),
    "everything is absorbed": ("change", lambda function, taken, eps: F(0)),
    "slopes at the arguments": ("change", slope_at),
    "clean-ups of half the error": ("change", lambda function, taken, eps: ORIGINAL_CHANGE(function, taken, eps / 2)),
    "ties of a unique choice": (
        "choice_error",
        lambda head, facts, eta, tau, known=None: ORIGINAL_WEIGHTS(facts.counts, facts.gap or F(1), eta, tau),
    ),
    "signs of coefficients": (
        "moved",
        lambda form, errors: abs(sum((c * errors.get(d, F(0)) for d, c in form.items()), F(0))),
    ),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_weaker_recurrence_is_refuted_by_some_model(name, monkeypatch):
    function, mutant = MUTANTS[name]
    monkeypatch.setattr(recurrence, function, mutant)
    assert any(violation(measured, tau, errors) for measured, _, tau, errors in cases())


def half_width(head, facts, errors, known=None):
    """A quarter of the width of the keys instead of half of it."""
    quarter = HeadProfile(known.distances, tuple(((3 * a + b) / 4, (a + 3 * b) / 4) for a, b in known.keys))
    return ORIGINAL_SCORES(head, facts, errors, quarter)


def with_distances(changed):
    def mutant(counts, gap, eta, tau, distances):
        return ORIGINAL_WEIGHTS(counts, gap, eta, tau, {k: changed(row) for k, row in distances.items()})

    return mutant


ORIGINAL_SCORES = recurrence.score_error
PROFILE_MUTANTS = {
    "half of the key width": ("score_error", half_width),
    "larger distances": ("weight_error", with_distances(lambda row: [d * F(5, 4) for d in row])),
    "one rival too few": ("weight_error", with_distances(lambda row: row[:-1])),
    "distances without eta": (
        "weight_error",
        lambda c, g, eta, tau, d: min(ORIGINAL_WEIGHTS(c, g, eta, tau), ORIGINAL_WEIGHTS(c, g, F(0), tau, d)),
    ),
}


@pytest.mark.parametrize("name", PROFILE_MUTANTS)
def test_a_weaker_use_of_profiles_is_refuted_by_some_model(name, monkeypatch):
    function, mutant = PROFILE_MUTANTS[name]
    monkeypatch.setattr(recurrence, function, mutant)
    assert any(violation(measured, tau, errors, known=known) for measured, known, tau, errors in cases())


@settings(max_examples=15, deadline=None)
@given(small=transformers(), n=st.integers(1, 3))
def test_profiles_are_those_of_exact_runs(small, n):
    found = profile(measure(small, n))
    for number, layer in enumerate(small.layers):
        for index, head in enumerate(layer.heads):
            distances, keys = {}, [[] for _ in head.key]
            for word in all_words(small, n):
                run = run_hard(small, word)
                entering = run.layers[number - 1].stream if number else run.embedded
                for row, form in zip(keys, head.key, strict=True):
                    row += [linear(form, x) for x in entering]
                for query in run.layers[number].heads[index].queries:
                    top = max(query.scores, default=None)
                    rivals = sorted(top - s for s in query.scores if s != top)
                    if query.scores:
                        distances.setdefault(query.scores.count(top), []).append(rivals)
            expected = {
                k: tuple(min(r[i] for r in rows if len(r) > i) for i in range(max(map(len, rows))))
                for k, rows in distances.items()
            }
            assert found[number][index].distances == expected
            assert found[number][index].keys == tuple((min(row), max(row)) for row in keys)


def test_profiles_need_all_words():
    with pytest.raises(InputError, match="not over a sample"):
        profile(measure(next(models()), 3, sample=4))


PLAIN_MUTANTS = {
    "no eta": ("_rho", lambda numbers, eta, tau: ORIGINAL_RHO(numbers, F(0), tau)),
    "no gap term": ("_gap_term", lambda numbers, gap, tau: plain.ball(0)),
    "gamma, not gamma - 2 eta": ("_rho_tieless", lambda numbers, eta, tau: ORIGINAL_TIELESS(numbers, F(0), tau)),
}
ORIGINAL_RHO, ORIGINAL_TIELESS = plain._rho, plain._rho_tieless


@pytest.mark.parametrize("name", PLAIN_MUTANTS)
def test_the_recurrences_as_stated_need_their_terms(name, monkeypatch):
    """They are wide, so the mutants are held against the statements themselves, evaluated by other means."""
    function, mutant = PLAIN_MUTANTS[name]
    monkeypatch.setattr(plain, function, mutant)
    modes = {"plain": (plain.plain, e1_layer.LAYER), "tieless": (plain.plain_tieless, e5_tieless.LAYER)}
    assert any(not agrees(run, layer) for run, layer in modes.values())


@pytest.mark.parametrize(
    ("run", "layer"), [(plain.plain, e1_layer.LAYER), (plain.plain_tieless, e5_tieless.LAYER)], ids=["E1", "E5"]
)
def test_the_recurrences_are_those_of_the_statements(run, layer):
    assert agrees(run, layer)


def agrees(run, layer):
    """Whether one more layer is what E1.layer (E5.layer) says, from the error before it; to 10^-12."""
    numbers = Constants(3, 2, F(3, 2), F(1, 4), F(5, 4), 9, F(2), F(1), F(1), F(1))
    tau = F(1, 25)
    delta = run(numbers, tau).delta
    values = {"K": numbers.lipschitz, "vmap": numbers.value, "w": numbers.score, "B": numbers.bound, "tau": tau}
    values |= {"H": F(numbers.heads), "n": F(numbers.positions), "gamma": numbers.gap}
    for before, after in pairwise(delta):
        env = Env({s.name: values.get(s.name, before) for s in layer.free_symbols})
        low, high = endpoints(Expression(layer, env).ball(256))
        if not (low <= after and after - high <= F(1, 10**12) * max(high, LEAST)):
            return False
    return True


# -- its parts ------------------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 6), st.integers(1, 6), st.fractions(0, 2, max_denominator=9), st.sampled_from(TAUS))
def test_the_weights_are_bounded_by_the_stated_maximum(n, k, eta, tau):
    n, k = max(n, k), min(n, k)
    found = window.weight_error([(n, k)], F(3, 4) if k < n else None, eta, tau)
    values = {"n": F(n), "k": F(k), "gamma": F(3, 4), "eta": eta, "tau": tau}
    low, high = endpoints(
        Expression(A8, Env({s.name: values[s.name] for s in A8.free_symbols if s.name in values})).ball(256)
    )
    assert low - F(1, 10**60) <= found <= high + F(1, 10**15)
    equal = {k: [F(3, 4)] * (n - k)}
    assert window.weight_error([(n, k)], F(3, 4) if k < n else None, eta, tau, equal) <= found
    if k == 1 and n > 1:
        tieless = Expression(A6, Env({s.name: values[s.name] for s in A6.free_symbols}))
        assert abs(endpoints(tieless.ball(256))[0] - found) < F(1, 10**15)


def test_the_bound_of_several_rows_is_that_of_the_worst():
    rows = [(2, 1), (5, 1), (5, 3), (4, 4)]
    single = [window.weight_error([row], F(1), F(1, 3), F(1, 2)) for row in rows]
    assert window.weight_error(rows, F(1), F(1, 3), F(1, 2)) == max(single)
    assert window.weight_error([(7, 7), (1, 1)], None, F(0), F(1)) == 0
    assert window.weight_error([(1, 1)], None, F(1), F(1)) == 0
    assert window.weight_error([(2, 1)], F(1), F(10**9), F(1)) == 1
    with pytest.raises(ValueError, match="gap"):
        window.weight_error([(2, 1)], None, F(0), F(1))


UNITS = st.dictionaries(
    st.tuples(st.sampled_from((F(1), F(-1), F(2))), st.fractions(-2, 2, max_denominator=3)),
    st.fractions(-2, 2, max_denominator=2),
    max_size=4,
)
VALUES = st.lists(st.fractions(-3, 3, max_denominator=6), min_size=1, max_size=6).map(lambda x: tuple(sorted(set(x))))


@settings(max_examples=40, deadline=None)
@given(UNITS, st.sampled_from((F(0), F(1))), VALUES, st.fractions(0, 2, max_denominator=8))
def test_functions_move_by_what_a_fine_grid_shows(units, slope, values, eps):
    function = Piecewise.of_units(units, slope)
    known = pieces.change(function, Arguments((values[0], values[-1]), values), eps)
    grid = [eps * F(t, 8) for t in range(-8, 9)]
    points = [p - u for p in function.breakpoints for u in values if abs(p - u) <= eps]
    true = max(abs(function.at(u + t) - function.at(u)) for u in values for t in (*grid, *points))
    assert known == true
    assert pieces.change(function, Arguments((values[0], values[-1]), None), eps) >= known


def test_rounding_up():
    for x in (F(0), F(1), F(1, 3), F(10**40, 7), F(1, 7**200), LEAST / 3):
        assert x <= up(x) <= max(x * (1 + F(1, 2**63)), LEAST if x else F(0))
    with pytest.raises(ValueError, match="negative"):
        up(F(-1))
    with plain.working(64):
        assert above(plain.ball(F(1, 3))) >= F(1, 3)
        assert above(plain.ball(0)) == 0
        assert above(plain.ball(1) / 0) is None
        assert above((-plain.ball(10**8)).exp()) == LEAST


# -- the temperature ------------------------------------------------------------------------------------------------


def test_the_temperature_found_is_certified_where_it_is_printed():
    for small in models():
        measured = measure(small, 3)
        if has_ties(measured):
            continue
        for mode in ("sharp", "plain"):
            found = best_tau(measured, decide(measured), mode)
            assert found is not None
            assert ledger(measured, found.tau, mode).logit < measured.margin
            digits = found.tau.numerator * 10**60 // found.tau.denominator
            assert Fraction(digits, 10**60) == found.tau
            assert len(str(digits).rstrip("0")) <= 5
            if found.refused is not None:
                assert found.tau < found.refused <= found.tau * F(1025, 1024)
                assert ledger(measured, found.refused, mode).logit >= measured.margin


def test_targets():
    measured = measure(next(models()), 3)
    found = best_tau(measured, within(F(1, 1000)))
    assert ledger(measured, found.tau).logit <= F(1, 1000)
    assert best_tau(measured, decide(measured)).tau > found.tau
    with pytest.raises(InputError, match="error allowed must be > 0"):
        within(F(0))


def test_a_margin_of_zero_has_no_temperature():
    tied = next(models())
    measured = measure(tied, 2)
    nothing = type(measured)(**{**measured.__dict__, "margin": F(0)})
    assert best_tau(nothing, decide(nothing)) is None


def test_unique_choices_among_ties_are_refused_where_nothing_can_be_said():
    leftmost = list(models())[-1]
    assert leftmost.layers[0].heads[0].ties is Tie.LEFTMOST
    measured = measure(leftmost, 2)
    with pytest.raises(InputError, match=r"break them first \(E3\)"):
        ledger(measured, F(1), "plain")
    assert ledger(measured, F(1, 100)).layers[0].heads[0].tv == 1
    with pytest.raises(InputError, match="mode is one of"):
        ledger(measured, F(1), "blunt")
    with pytest.raises(InputError, match="temperature must be > 0"):
        ledger(measured, F(0))
