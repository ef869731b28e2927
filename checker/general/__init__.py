"""General hard attention: exact gaps of a transformer, and temperatures at which softmax decides alike (section E)."""
