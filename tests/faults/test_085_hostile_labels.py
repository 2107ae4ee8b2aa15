"""Row 85: whatever stands in a label, the scrape is 200 and says so in valid exposition format."""

import aiohttp
import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families as parse_text

from alerts.exposition import Metrics
from alerts.store import VerdictStore
from alerts.web import Web, WebSettings
from tests.fakes import FakeClock
from tests.servers import promtool
from tests.verdicts import contradicted

HOSTILE = [
    'new\nline"quote\\slash',
    "lone\ud800surrogate",
    "x" * 10_000,
    "\x00\x1b[31m",
    '"} 1\nfake_metric 1',
    "\u202eabc",
    "",
]


@pytest.mark.parametrize("accept", ["text/plain", "application/openmetrics-text; version=1.0.0"])
async def test_the_scrape_is_always_200_and_valid(accept: str) -> None:
    metrics = Metrics(FakeClock())
    for text in HOSTILE:
        metrics.trace(text, text)
        metrics.spans_rejected(text, text, 1)
        metrics.assessment(contradicted(1, service=text, judge=text))
        metrics.signal(text, text, text)
    web = Web(WebSettings(port=0), metrics, VerdictStore(), dict)
    await web.start()
    try:
        async with (
            aiohttp.ClientSession() as http,
            http.get(f"http://127.0.0.1:{web.port}/metrics", headers={"Accept": accept}) as response,
        ):
            assert response.status == 200
            body = (await response.read()).decode()
    finally:
        await web.stop()
    parse = parse_openmetrics if "openmetrics" in accept else parse_text
    families = list(parse(body))
    assert "fake_metric" not in {family.name for family in families}
    assert all(len(value) <= 128 for f in families for s in f.samples for value in s.labels.values())


async def test_promtool_accepts_it() -> None:
    metrics = Metrics(FakeClock())
    for text in HOSTILE:
        metrics.trace(text, "rag")
    assert await promtool("check", "metrics", stdin=metrics.render()[0]) == (0, "")
