"""The enumerations: for each claim a generator of exact cases, each a comparison from the definitions.

`CHECKS[name](claim, plan)` yields the comparisons for the claim of that name; `ONLY_DERIVED` names the lemmas that
only serve a derivation and say nothing that a user would tabulate.
"""

from __future__ import annotations

from collections.abc import Callable

from . import exact_error, perturbed, positional, scaling, temperature, values
from .claims import StatedClaim
from .grids import Plan
from .item import Item, Items, Mode

Check = Callable[[StatedClaim, Plan], Items]

CHECKS: dict[str, Check] = {
    "A1.weights": exact_error.a1_weights,
    "A1.exact": exact_error.a1_exact,
    "A1.unique": exact_error.a1_unique,
    "A2.bound": exact_error.a2_bound,
    "A2.equality": exact_error.a2_equality,
    "A2.strict": exact_error.a2_strict,
    "A2.increasing-n": exact_error.a2_increasing_n,
    "A2.decreasing-k": exact_error.a2_decreasing_k,
    "A2.decreasing-gamma": exact_error.a2_decreasing_gamma,
    "A2.increasing-tau": exact_error.a2_increasing_tau,
    "A2.every-k": exact_error.a2_every_k,
    "A2.linear": exact_error.a2_linear,
    "A2.literature": exact_error.a2_literature,
    "A2.constant": exact_error.a2_constant,
    "A3.sufficient": temperature.a3_sufficient,
    "A3.necessary": temperature.a3_necessary,
    "A3.always": temperature.a3_always,
    "A3.positive": temperature.a3_positive,
    "A4.distance": temperature.a4_distance,
    "A4.tight": temperature.a4_tight,
    "A4.maximum": temperature.a4_maximum,
    "A4.temperature": temperature.a4_temperature,
    "A4.weight": temperature.a4_weight,
    "A4.one-symbol": temperature.a4_one_symbol,
    "A5.bound": perturbed.a5_bound,
    "A5.linear": perturbed.a5_linear,
    "A5.tight": perturbed.a5_tight,
    "A6.choice": perturbed.a6_choice,
    "A6.bound": perturbed.a6_bound,
    "A6.tight": perturbed.a6_tight,
    "A7.bound": values.a7,
    "A7.tight": values.a7,
    "A7.perturbed": values.a7,
    "A7.perturbed-tight": values.a7,
    "A8.bound": perturbed.a8_bound,
    "A8.attained": perturbed.a8_attained,
    "A8.simple": perturbed.a8_simple,
    "B1.arranged": positional.linear,
    "B1.mirrored": positional.linear,
    "B1.left": positional.linear,
    "B1.right": positional.linear,
    "B1.tight": positional.linear,
    "B1.below": positional.linear,
    "B1.increasing-n": positional.monotone,
    "B1.decreasing-gamma": positional.monotone,
    "B1.increasing-tau": positional.monotone,
    "B2.bound": positional.both_sides,
    "B2.tight": positional.both_sides,
    "B2.below": positional.both_sides,
    "B3.theta": positional.lookup,
    "B3.closed": positional.lookup,
    "B4.bound": positional.noisy_lookup,
    "B5.listed": positional.distances,
    "B5.strict": positional.distances,
    "B5.distinct": positional.distances,
    "B5.tight": positional.linear,
    "B6.choice": positional.predicate,
    "B6.choice-after": positional.predicate,
    "B6.rightmost": positional.predicate,
    "B6.rightmost-none": positional.predicate,
    "B6.leftmost": positional.predicate,
    "B6.leftmost-none": positional.predicate,
    "B6.below": positional.predicate,
    "C1.weights": scaling.c1_weights,
    "C1.transfer": scaling.c1_weights,
    "C1.rightmost": scaling.c1_rightmost,
    "C1.bounded": scaling.c1_bounded,
    "C1.lookup": scaling.c1_lookup,
    "C2.chosen": scaling.c2_chosen,
    "C2.pair": scaling.c2_pair,
    "C2.positive": scaling.c2_positive,
    "C2.bound": scaling.c2_bound,
    "C3.sufficient": scaling.c3_sufficient,
    "C3.necessary": scaling.c3_necessary,
    "C3.below": scaling.c3_below,
    "C3.above": scaling.c3_above,
}

ONLY_DERIVED = (
    "A1.normaliser",
    "A1.positive",
    "A1.nonnegative",
    "A1.normalised",
    "A2.others",
    "A2.others-equal",
    "A4.rest",
    "A4.split",
    "A5.mass",
    "A5.raised",
    "B3.half",
    "B4.half",
)

__all__ = ["CHECKS", "ONLY_DERIVED", "Check", "Item", "Items", "Mode", "Plan", "StatedClaim"]
