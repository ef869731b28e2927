"""Compiles formulas of temporal logic with counting to transformers with explicit rational weights."""
