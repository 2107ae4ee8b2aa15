"""OTLP/gRPC: unary methods over raw bytes.

The generated servicer would answer UNKNOWN to bytes that it cannot parse, and parse every span that it can.
"""

from typing import NoReturn, TypeAlias

import grpc

from collector.codec import Codec
from collector.receivers.base import Gate, Intake, LogPath, ReceiverMetrics, acknowledgement
from collector.receivers.settings import ReceiverSettings
from collector.receivers.tls import Certificate
from collector.spans import SpanSink
from collector.status import RefusedError
from evaluators.errors import PermanentError

METHOD = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
LOGS_METHOD = "/opentelemetry.proto.collector.logs.v1.LogsService/Export"
MAX_METADATA_BYTES = 16 << 10
MAX_STREAMS = 256
"""Requests under way per connection."""

_CODES = {code.value[0]: code for code in grpc.StatusCode}

Context: TypeAlias = "grpc.aio.ServicerContext[bytes, bytes]"  # generic in the stubs only


class OtlpGrpcReceiver:
    """Listens for OTLP/gRPC trace exports, and for log exports given a path for them. Others are UNIMPLEMENTED."""

    def __init__(
        self,
        settings: ReceiverSettings,
        codec: Codec,
        sink: SpanSink,
        metrics: ReceiverMetrics,
        logs: LogPath | None = None,
    ) -> None:
        self._settings = settings
        self._intakes = {METHOD: Intake("otlp_grpc", codec, sink, metrics)}
        if logs is not None:
            self._intakes[LOGS_METHOD] = Intake("otlp_grpc", logs.codec, logs.sink, logs.metrics)
        self._server: grpc.aio.Server | None = None
        self.port = settings.port

    async def start(self) -> None:
        """Listen; see Receiver."""
        settings = self._settings
        gate = Gate(settings.read_token())
        handlers = [_Handler(method, intake, gate) for method, intake in self._intakes.items()]
        server = grpc.aio.server(handlers=handlers, options=_options(settings))
        address = f"{settings.host}:{settings.port}"
        try:
            if settings.tls_cert is None:
                port = server.add_insecure_port(address)
            else:
                port = server.add_secure_port(address, _credentials(Certificate(settings)))
        except RuntimeError:
            port = 0
        if port == 0:
            raise PermanentError(
                f"cannot listen for OTLP/gRPC on {address}: it is in use (another groundwatch?) or no address of this "
                "machine: set receivers.grpc.port or host"
            )
        await server.start()
        self._server, self.port = server, port

    async def stop(self, grace_s: float) -> None:
        """Stop; see Receiver."""
        server, self._server = self._server, None
        if server is not None:
            await server.stop(grace_s)


class _Handler(grpc.GenericRpcHandler):  # type: ignore[type-arg]  # generic in the stubs only
    """Answers one method, and refuses callers without the token before their message is read."""

    def __init__(self, method: str, intake: Intake, gate: Gate) -> None:
        self._method = method
        self._intake = intake
        self._gate = gate
        self._export = grpc.unary_unary_rpc_method_handler(self._handle)
        self._deny = grpc.stream_unary_rpc_method_handler(self._refuse_unread)

    def service(self, call: grpc.HandlerCallDetails) -> "grpc.RpcMethodHandler[bytes, bytes] | None":
        if call.method != self._method:
            return None
        try:
            self._gate.check(_authorization(call))
        except RefusedError:
            return self._deny
        return self._export

    async def _handle(self, body: bytes, context: Context) -> bytes:
        try:
            batch = self._intake.take(body)
            if batch.stored is not None:
                await batch.stored
        except Exception as error:
            await self._refuse(error, context)
        return acknowledgement(batch)

    async def _refuse_unread(self, _messages: object, context: Context) -> bytes:
        try:
            self._gate.check(None)
        except RefusedError as error:
            await self._refuse(error, context)
        return b""

    async def _refuse(self, error: Exception, context: Context) -> NoReturn:
        refusal = self._intake.refuse(error)
        details = (("grpc-status-details-bin", refusal.status().SerializeToString()),)
        await context.abort(_CODES[refusal.grpc_code], refusal.message, details)


def _authorization(call: grpc.HandlerCallDetails) -> str | None:
    for key, value in call.invocation_metadata or ():
        if key == "authorization":
            return value if isinstance(value, str) else None
    return None


def _options(settings: ReceiverSettings) -> list[tuple[str, int]]:
    return [
        ("grpc.max_receive_message_length", settings.max_body_bytes),
        ("grpc.max_metadata_size", MAX_METADATA_BYTES),
        ("grpc.max_concurrent_streams", MAX_STREAMS),
        ("grpc.max_connection_idle_ms", int(settings.idle_timeout_s * 1000)),
        # A second process on the port must fail to start, not take every other connection.
        ("grpc.so_reuseport", 0),
        # A peer that pings more often than this is cut off (too_many_pings).
        ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
        ("grpc.http2.max_ping_strikes", 2),
        ("grpc.keepalive_time_ms", 60_000),
        ("grpc.keepalive_timeout_ms", 20_000),
    ]


def _credentials(certificate: Certificate) -> grpc.ServerCredentials:
    def configuration() -> grpc.ServerCertificateConfiguration:
        key, chain, ca = certificate.pem()
        return grpc.ssl_server_certificate_configuration([(key, chain)], root_certificates=ca)

    def changed() -> grpc.ServerCertificateConfiguration | None:
        """Called before each handshake; None keeps what is in use."""
        return configuration() if certificate.refresh() else None

    return grpc.dynamic_ssl_server_credentials(
        configuration(),
        changed,  # type: ignore[arg-type]  # None is allowed, says the documentation
        require_client_authentication=certificate.demands_client_certificate,
    )
