"""aiokafka with our settings."""

import ssl
from collections.abc import Collection
from typing import Any

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, ConsumerRebalanceListener, codec
from aiokafka.coordinator.assignors.sticky.sticky_assignor import StickyPartitionAssignor
from aiokafka.structs import OffsetAndMetadata, TopicPartition

from collector.receivers.kafka_settings import KafkaConnection, KafkaReceiverSettings
from evaluators.errors import PermanentError

_FETCH_BYTES = 32 << 20
"""What the consumer may have fetched ahead, over all partitions."""


class Consumer(AIOKafkaConsumer):  # type: ignore[misc]
    """aiokafka's, which has no way to ask for the metadata of a commit."""

    async def commits(self, keys: Collection[TopicPartition]) -> dict[TopicPartition, OffsetAndMetadata]:
        """What is committed for the partitions; those without a commit are left out. Raises KafkaError."""
        found = await self._coordinator.fetch_committed_offsets(list(keys))
        return {key: one for key, one in found.items() if one.offset >= 0}


def check_codecs() -> None:
    """Raise PermanentError unless every codec that producers use can be read: a batch cannot be skipped unread."""
    known = {"snappy": codec.has_snappy, "lz4": codec.has_lz4, "zstd": codec.has_zstd}
    if missing := [name for name, has in known.items() if not has()]:
        raise PermanentError(f"cannot read {', '.join(missing)} batches: pip install 'groundwatch[kafka]'")


def connection_options(settings: KafkaConnection) -> dict[str, Any]:
    """The arguments that consumers and producers share. Raises PermanentError for what is missing on this machine."""
    password = settings.read_password()
    protocol = ("SASL_" if settings.sasl_mechanism else "") + ("SSL" if settings.tls else "PLAINTEXT")
    return {
        "bootstrap_servers": list(settings.bootstrap_servers),
        "client_id": settings.client_id,
        "request_timeout_ms": int(settings.request_timeout_s * 1000),
        "security_protocol": protocol,
        "ssl_context": _ssl_context(settings) if settings.tls else None,
        "sasl_mechanism": settings.sasl_mechanism or "PLAIN",
        "sasl_plain_username": settings.sasl_username,
        "sasl_plain_password": password,
    }


def build_consumer(settings: KafkaReceiverSettings, listener: ConsumerRebalanceListener | None = None) -> Consumer:
    """A consumer of the settings' topics and group that commits only what it is told to."""

    class Sticky(StickyPartitionAssignor):  # type: ignore[misc]
        """Its state is kept by the class: each consumer needs one of its own."""

    consumer = Consumer(
        **connection_options(settings),
        group_id=settings.group_id,
        enable_auto_commit=False,
        # Where an offset is gone we say so, count it and seek ourselves.
        auto_offset_reset="none",
        metadata_max_age_ms=int(settings.metadata_max_age_s * 1000),
        fetch_max_bytes=_FETCH_BYTES,
        session_timeout_ms=int(settings.session_timeout_s * 1000),
        heartbeat_interval_ms=int(settings.session_timeout_s * 1000 / 6),
        partition_assignment_strategy=(Sticky,),
        isolation_level="read_committed",
    )
    consumer.subscribe(list(settings.topics), listener=listener)
    return consumer


def build_producer(settings: KafkaConnection, **options: Any) -> AIOKafkaProducer:
    """A producer that counts a message as written once all in-sync replicas have it."""
    return AIOKafkaProducer(**connection_options(settings), acks="all", **options)


def _ssl_context(settings: KafkaConnection) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=settings.tls_ca)
        if settings.tls_cert:
            context.load_cert_chain(settings.tls_cert, settings.tls_key)
    except (ssl.SSLError, OSError) as error:
        raise PermanentError(f"tls_ca, tls_cert or tls_key cannot be used: {error.strerror}") from error
    return context
