"""Row 86: no label ever holds a trace id or a text of a trace; the id is an exemplar only."""

from prometheus_client.openmetrics.parser import text_string_to_metric_families

from tests.alerts.engines import bench
from tests.verdicts import ANSWER, CHUNKS, contradicted, trace_id


async def test_no_label_of_a_series_or_an_alert_holds_id_or_text() -> None:
    b = bench()
    for number in range(40):
        b.metrics.assessment(contradicted(number))
        b.observe(contradicted(number))
    signals = await b.tick(120.0)
    assert {signal.rule for signal in signals} == {"contradicted_claim", "high_hallucination", "low_faithfulness"}
    b.metrics.refresh()
    body, _ = b.metrics.render("application/openmetrics-text")
    values = [v for f in text_string_to_metric_families(body.decode()) for s in f.samples for v in s.labels.values()]
    values += [value for signal in signals for value in signal.labels.values()]
    forbidden = [trace_id(0)[:-2], ANSWER, *(str(chunk.text) for chunk in CHUNKS), "refund-policy"]
    assert not [value for value in values if any(text in value for text in forbidden)]
