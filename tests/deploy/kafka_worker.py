"""What a worker that reads from Kafka exposes, where there is no broker: the series are its own, the values are not."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from alerts.series import SeriesRegistry
from collector.receivers.kafka_metrics import KafkaMetrics
from collector.streams.metrics import StreamMetrics

SPANS, EVALUATIONS = "otlp_spans", "groundwatch_evaluations"


@contextmanager
def kafka_worker() -> Iterator[str]:
    """Serve /metrics, with some more messages at each scrape; yields host:port."""
    series = SeriesRegistry({})
    kafka, streams = KafkaMetrics(series), StreamMetrics(series)
    kafka.expect((SPANS,))
    kafka.connected(True)
    kafka.partitions(SPANS, reading=3, paused=1, stopped=0)
    kafka.backlog(SPANS, lag=40, owed=120, age_s=31.0)
    streams.expect(EVALUATIONS)
    streams.behind(EVALUATIONS, 0)

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            kafka.message(SPANS, "taken")
            streams.message(EVALUATIONS, "written")
            body, kind = series.render(self.headers.get("Accept", ""))
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Scrapes are not logged."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
