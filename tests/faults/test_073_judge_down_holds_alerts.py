"""Row 73: while a judge is down no quality alert is raised or resolved from missing data; the cause has its own."""

from alerts.signals import SignalState
from tests.alerts.engines import bench
from tests.verdicts import contradicted, failed, good


async def test_ten_minutes_without_the_judge_raise_its_own_alert_and_no_other() -> None:
    b = bench()
    b.observe(*(good(n) for n in range(60)))
    b.observe(contradicted(99))
    await b.tick(60.0)
    assert b.firing == {"contradicted_claim"}
    b.engine.judge_state("lexical", "open")
    for minute in range(60):
        b.observe(*(failed(1000 + minute * 50 + n) for n in range(50)))
        await b.tick(60.0, step=10.0)
    assert b.firing == {"contradicted_claim", "judge_unavailable"}
    b.engine.judge_state("lexical", "closed")
    b.observe(*(good(10_000 + n) for n in range(60)))
    (resolved,) = await b.tick(60.0, step=10.0)
    assert (resolved.rule, resolved.state) == ("judge_unavailable", SignalState.RESOLVED)
