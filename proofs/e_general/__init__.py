"""Section E: softmax simulates general hard-attention transformers (statements E1 to E5)."""

from . import e1_layer, e2_temperature, e3_ties, e4_gaps, e5_tieless

STATEMENTS = (
    e1_layer.STATEMENT,
    e2_temperature.STATEMENT,
    e3_ties.STATEMENT,
    e4_gaps.STATEMENT,
    e5_tieless.STATEMENT,
)
