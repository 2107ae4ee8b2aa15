"""What an operator can set of Kafka."""

import os
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, StringConstraints, model_validator

from evaluators.errors import PermanentError

MIB = 1 << 20

Topic = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._-]{1,249}$")]
Address = Annotated[str, StringConstraints(pattern=r"^[^\s,/]+:[0-9]{1,5}$")]


class KafkaConnection(BaseModel):
    """Where the brokers are and who we are to them."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    bootstrap_servers: tuple[Address, ...] = Field(min_length=1, description="host:port of some brokers")
    client_id: str = Field("groundwatch", min_length=1, max_length=200)
    tls: bool = Field(False, description="speak TLS with the brokers")
    tls_ca: Path | None = Field(None, description="PEM certificates to trust in place of the system's")
    tls_cert: Path | None = Field(None, description="PEM certificate chain to show")
    tls_key: Path | None = Field(None, description="PEM private key of the certificate")
    sasl_mechanism: Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] | None = None
    sasl_username: str | None = None
    sasl_password: SecretStr | None = None
    sasl_password_env: str | None = Field(None, description="environment variable that holds the password")
    request_timeout_s: float = Field(15.0, ge=1, le=300)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if (self.tls_cert is None) != (self.tls_key is None):
            raise ValueError("tls_cert and tls_key belong together: set both or none")
        if (self.tls_ca or self.tls_cert) and not self.tls:
            raise ValueError("tls_ca and tls_cert need tls: true")
        has_password = self.sasl_password is not None or self.sasl_password_env is not None
        if self.sasl_mechanism and not (self.sasl_username and has_password):
            raise ValueError("sasl_mechanism needs sasl_username, and sasl_password_env or sasl_password")
        if not self.sasl_mechanism and (self.sasl_username or has_password):
            raise ValueError("sasl_username and sasl_password need sasl_mechanism")
        if self.sasl_password is not None and self.sasl_password_env is not None:
            raise ValueError("set sasl_password or sasl_password_env, not both")
        return self

    def read_password(self) -> str | None:
        """The SASL password, if one is needed. Raises PermanentError where the environment lacks it."""
        if self.sasl_password_env is None:
            return self.sasl_password.get_secret_value() if self.sasl_password else None
        password = os.environ.get(self.sasl_password_env)
        if not password:
            raise PermanentError(f"sasl_password_env: the environment variable {self.sasl_password_env} is not set")
        return password


class KafkaReceiverSettings(KafkaConnection):
    """OTLP spans from topics, as the OpenTelemetry Collector's Kafka exporter writes them.

    Messages should be keyed by trace id (`partition_traces_by_id: true`), so that one worker sees whole traces.
    """

    topics: tuple[Topic, ...] = Field(("otlp_spans",), min_length=1)
    group_id: str = Field("groundwatch", min_length=1, max_length=249, description="workers of a group share the load")
    encoding: Literal["otlp_proto", "otlp_json"] = Field(
        "otlp_proto", description="of messages without a content-type header"
    )
    auto_offset_reset: Literal["earliest", "latest"] = Field(
        "earliest", description="where to start without a committed offset, and where the committed one is gone"
    )
    max_message_bytes: int = Field(16 * MIB, ge=1024, le=256 * MIB, description="larger ones are dead letters")
    max_poll_messages: int = Field(500, ge=1, le=100_000, description="messages held before they are taken")
    commit_interval_s: float = Field(1.0, gt=0, le=60)
    session_timeout_s: float = Field(30.0, ge=1, le=1800, description="without a heartbeat a worker counts as gone")
    metadata_max_age_s: float = Field(60.0, ge=1, le=3600, description="new topics and partitions are seen after it")
    look_back_s: float = Field(
        30.0,
        ge=0,
        le=3600,
        description="of a partition that comes from elsewhere so much is read again, to know what late spans belong to",
    )
    hand_over_s: float = Field(
        3.0, ge=0, le=60, description="at a rebalance wait so long for verdicts that are on their way"
    )
    dead_letter_topic: Topic | None = Field(
        "groundwatch_dead_letters", description="takes what cannot be decoded; null: it is counted and passed over"
    )

    @model_validator(mode="after")
    def _no_loop(self) -> Self:
        if self.dead_letter_topic in self.topics:
            raise ValueError("dead_letter_topic must not be one of topics")
        return self
