"""Row 88: too few traces raise no windowed rule, however bad they are."""

from alerts.rules import WindowRule
from tests.alerts.engines import bench
from tests.verdicts import unsupported

RULE = WindowRule(name="low_faithfulness", metric="faithfulness", threshold=0.4, min_n=30)


async def test_29_bad_traces_raise_nothing_and_the_30th_does() -> None:
    b = bench(RULE)
    b.observe(*(unsupported(n) for n in range(29)))
    assert await b.tick(60.0) == []
    b.observe(unsupported(29))
    assert len(await b.tick()) == 1


async def test_one_bad_trace_among_many_good_ones_raises_no_default_rule() -> None:
    b = bench()
    b.observe(unsupported(1))
    assert await b.tick(600.0, step=10.0) == []
