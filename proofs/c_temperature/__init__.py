"""Section C: temperature scaling with bounded scores (statements C1 to C3)."""
