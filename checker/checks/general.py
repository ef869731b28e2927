"""The checks of section E, by claim."""

from __future__ import annotations

from collections.abc import Callable

from . import general_heads as heads
from . import general_inputs as inputs
from . import general_layer as layer
from . import general_recurrence as recurrence
from . import general_ties as ties
from .claims import StatedClaim
from .grids import Plan
from .item import Items

CHECKS: dict[str, Callable[[StatedClaim, Plan], Items]] = {
    "E1.product": inputs.product,
    "E1.product-tight": inputs.product,
    "E1.entries": inputs.form,
    "E1.scores": inputs.form,
    "E1.keys": inputs.form,
    "E1.map": inputs.form,
    "E1.ties": heads.weights,
    "E1.weights": heads.weights,
    "E1.value": heads.from_weights,
    "E1.diameter": heads.outputs,
    "E1.window": heads.outputs,
    "E1.window-tight": heads.window_tight,
    "E1.tieless": heads.outputs,
    "E1.tieless-tight": heads.tieless_tight,
    "E1.head": heads.sized_values,
    "E1.attention": layer.attention,
    "E1.heads": inputs.layer_of_heads,
    "E1.layer": layer.layer,
    "E2.linear": recurrence.linear,
    "E2.iterate": recurrence.iterated,
    "E2.geometric": recurrence.iterated,
    "E2.sufficient": recurrence.sufficient,
    "E2.decision": inputs.decision,
    "E2.line": recurrence.tangent,
    "E2.lambert": recurrence.closed_form,
    "E2.lambert-needed": recurrence.closed_form,
    "E2.always": recurrence.any_temperature,
    "E2.order": recurrence.closed_form,
    "E2.one-layer": recurrence.one_layer,
    "E2.temperature": recurrence.run_at_temperature,
    "E3.leftmost": ties.choice,
    "E3.rightmost": ties.choice,
    "E3.attention": ties.attention,
    "E3.attention-right": ties.attention,
    "E3.best": ties.best,
    "E3.optimal": ties.offsets,
    "E4.rational": inputs.rational_scores,
    "E4.embeddings": inputs.rational_scores,
    "E4.averaged": inputs.averages,
    "E4.same-count": inputs.averages,
    "E4.distinct": inputs.counts,
    "E4.cubic": inputs.counts,
    "E4.attained": inputs.counts,
    "E4.deep": inputs.halving,
    "E5.uniform": heads.uniform,
    "E5.head": heads.sized_values,
    "E5.layer": layer.layer,
    "E5.linear": recurrence.linear,
    "E5.iterate": recurrence.iterated,
    "E5.sufficient": recurrence.sufficient,
    "E5.temperature": recurrence.run_at_temperature,
}
