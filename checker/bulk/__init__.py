"""Rigorous evaluation of whole arrays of score rows in float64, with Arb for the rows that it leaves undecided."""
