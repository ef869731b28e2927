"""Statements of the theory and their checked derivations; imports nothing of the checker."""
