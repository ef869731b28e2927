"""Long runs cut into tasks: engines that carry the tasks out, and a ledger that keeps their results.

tasks, plain: what a task is, and its result as canonical JSON. engines, clusters: one process, several, or dask.
identity, ledger: which run it is, and the results that survive it. run: the driver, which restores the order.
"""
