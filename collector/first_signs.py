"""What is logged once for people who have just connected an application."""

import logging

from alerts.labels import clean_label
from collector.spans import SpanBatch
from evaluators.sample import RagSample, Readiness

log = logging.getLogger(__name__)

ORDINARY_SPANS = 100
"""Spans without marker after which the silence is no accident."""

MAX_SERVICES = 100


class FirstSigns:
    """Tells that no span has a marker, or where a service's first trace is shown. `base_url` leads to the pages."""

    def __init__(self, base_url: str) -> None:
        self._base_url = base_url.rstrip("/")
        self._ordinary = 0
        self._settled = False
        self._services: set[str] = set()

    def spans(self, batch: SpanBatch) -> None:
        """See a request's spans."""
        if self._settled:
            return
        self._ordinary += batch.ordinary
        self._settled = bool(batch.spans) or self._ordinary >= ORDINARY_SPANS
        if self._settled and not batch.spans:
            log.info("spans arrive, none has a RAG marker yet: groundwatch inspect explains")

    def trace(self, sample: RagSample) -> None:
        """See a trace that was read."""
        if sample.readiness is not Readiness.RAG or len(self._services) >= MAX_SERVICES:
            return
        service = clean_label(sample.service)
        if service not in self._services:
            self._services.add(service)
            log.info("first RAG trace of %s: %s/traces/%s", service, self._base_url, sample.trace_id)
