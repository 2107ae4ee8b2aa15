"""What the monitor sends to the trace backend comes back to it, as it does behind a Collector, and is not judged."""

import asyncio

from alerts.settings import AlertSettings
from alerts.writeback.settings import WriteBackSettings
from collector.config import ReceiversConfig
from collector.receivers.settings import ReceiverSettings
from tests.collector.test_service import SCORED, config, post, request_of, running, value
from tests.servers import free_port, until

SPANS = 'groundwatch_spans_received_total{receiver="otlp_http"}'
EXPORTED = 'groundwatch_written_back_total{kind="span",outcome="exported"}'
TRACES = 'groundwatch_traces_total{outcome="rag",service="shop-assistant"}'


async def test_its_own_spans_in_the_judged_trace_are_neither_judged_nor_do_they_reopen_it() -> None:
    port = free_port()
    receivers = ReceiversConfig(grpc=None, http=ReceiverSettings(port=port))
    back = WriteBackSettings(endpoint=f"http://127.0.0.1:{port}", events=False, spans="child")
    given = config(receivers=receivers, write_back=back, alerts=AlertSettings(notifiers=()))
    async with running(given) as service:
        assert await post(service, request_of(0)) == 200
        sent = value(service, SPANS)
        await until(lambda: value(service, EXPORTED) == 1.0, 20)
        await asyncio.sleep(1.0)
        assert value(service, SPANS) == sent + 1
        assert value(service, SCORED) == 1.0
        assert value(service, TRACES) == 1.0
        assert value(service, EXPORTED) == 1.0
        assert 'service="groundwatch"' not in service.metrics.render()[0].decode()
