"""Transformers as data: explicit rational weights, exact runs with hard attention, rigorous runs with softmax."""
