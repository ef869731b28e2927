"""Coq statements of the claims marked for the kernel, and the build that has Coq accept their proofs."""
