"""Section A: one softmax against one hard attention (statements A1 to A8)."""
