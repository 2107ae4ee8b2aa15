"""What people who have just connected an application find in the log, once."""

import logging
from dataclasses import replace

import pytest

from collector.first_signs import MAX_SERVICES, ORDINARY_SPANS, FirstSigns
from collector.spans import Resource, SpanBatch, WireSpan
from evaluators.sample import RagSample, Readiness

RAG = RagSample(trace_id="ab" * 16, service="shop", readiness=Readiness.RAG)
SPAN = WireSpan(b"\1" * 16, b"\1" * 8, b"", True, b"", Resource("shop", {}))


@pytest.fixture
def told(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO, "collector.first_signs")
    return caplog


def test_spans_without_any_marker_are_told_once(told: pytest.LogCaptureFixture) -> None:
    signs = FirstSigns("http://here")
    signs.spans(SpanBatch(received=ORDINARY_SPANS - 1))
    assert told.messages == []
    for _ in range(3):
        signs.spans(SpanBatch(received=ORDINARY_SPANS))
    assert told.messages == ["spans arrive, none has a RAG marker yet: groundwatch inspect explains"]


def test_ordinary_spans_beside_recognised_and_refused_ones_are_no_news(told: pytest.LogCaptureFixture) -> None:
    FirstSigns("http://here").spans(SpanBatch(received=ORDINARY_SPANS, rejected={"invalid_id": ORDINARY_SPANS}))
    signs = FirstSigns("http://here")
    signs.spans(SpanBatch(received=2, spans=[SPAN]))
    signs.spans(SpanBatch(received=2 * ORDINARY_SPANS))
    assert told.messages == []


def test_the_first_rag_trace_of_each_service_is_told_with_its_page(told: pytest.LogCaptureFixture) -> None:
    signs = FirstSigns("http://here:9464/")
    signs.trace(replace(RAG, readiness=Readiness.NO_TEXT))
    signs.trace(RAG)
    signs.trace(replace(RAG, trace_id="cd" * 16))
    signs.trace(replace(RAG, service="other\n2026 forged"))
    assert told.messages[0] == f"first RAG trace of shop: http://here:9464/traces/{RAG.trace_id}"
    assert len(told.messages) == 2
    assert "\n" not in told.messages[1]


def test_services_beyond_the_limit_are_not_told(told: pytest.LogCaptureFixture) -> None:
    signs = FirstSigns("http://here")
    for number in range(MAX_SERVICES + 10):
        signs.trace(replace(RAG, service=f"service-{number}"))
    assert len(told.messages) == MAX_SERVICES
