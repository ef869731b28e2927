"""From formulas to transformers: a flat list of passes, and the certificates of what they produce."""
