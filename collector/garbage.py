"""How Python's cycle collector treats a monitor: what it holds lives for seconds, or as long as the process."""

import gc

_THRESHOLDS = (10_000, 10, 10)


def expect_few_cycles() -> None:
    """Set aside what is alive now, and look for cycles less often. Call it once, when everything has started.

    Spans and verdicts are no cycles: by default Python looks for some every 700 allocations, and through all that it
    holds again and again while traces pile up.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)
