"""Section E: softmax simulates general hard-attention transformers (statements E1 to E5)."""

from . import e1_layer, e2_temperature

STATEMENTS = (e1_layer.STATEMENT, e2_temperature.STATEMENT)
