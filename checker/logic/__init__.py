"""Temporal logic over finite words: formulas, their grammar, printing, exact semantics, normal form and a zoo."""
