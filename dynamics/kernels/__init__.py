"""Compiled kernels (Numba, the extra `fast`): the same terms, faster. Nothing here is needed."""
