"""Certificates of transformers: what their weights compute, for all lengths, and agreement on all short words."""
