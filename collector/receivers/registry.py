"""The receivers that listen, by the name of their settings."""

import logging
from collections.abc import Mapping

from collector.codec import Codec
from collector.receivers.base import LogPath, Receiver, ReceiverMetrics
from collector.receivers.otlp_grpc import OtlpGrpcReceiver
from collector.receivers.otlp_http import OtlpHttpReceiver
from collector.receivers.settings import ReceiverSettings
from collector.spans import SpanSink

log = logging.getLogger(__name__)

KINDS: dict[str, type[OtlpGrpcReceiver | OtlpHttpReceiver]] = {"grpc": OtlpGrpcReceiver, "http": OtlpHttpReceiver}


def build_receivers(
    settings: Mapping[str, ReceiverSettings | None],
    codec: Codec,
    sink: SpanSink,
    metrics: ReceiverMetrics,
    logs: LogPath | None,
) -> dict[str, Receiver]:
    """Those with settings; a warning where anybody on the network may send."""
    receivers: dict[str, Receiver] = {}
    for name, own in settings.items():
        if own is None:
            continue
        if own.is_exposed:
            log.warning("receivers.%s takes spans from anybody on the network: set token_env or tls_client_ca", name)
        receivers[name] = KINDS[name](own, codec, sink, metrics, logs)
    return receivers
