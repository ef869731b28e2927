"""Section B: unbounded positional embeddings at a fixed temperature (statements B1 to B6)."""
