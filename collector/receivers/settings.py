"""What an operator can set of a receiver."""

import os
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator

from evaluators.errors import PermanentError

MIB = 1 << 20


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach what listens there."""
    return host in ("localhost", "::1") or host.startswith("127.")


class ReceiverSettings(BaseModel):
    """Address, limits and access of one OTLP receiver. Loopback unless the operator says otherwise."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    host: str = Field("127.0.0.1", min_length=1, description="address to listen on; 0.0.0.0 for all")
    port: int = Field(ge=0, le=65535, description="port to listen on; 0 for any free one")
    max_body_bytes: int = Field(64 * MIB, ge=1024, le=256 * MIB, description="size of a request after decompression")
    max_json_bytes: int = Field(
        16 * MIB, ge=1024, le=256 * MIB, description="likewise for OTLP/JSON, which takes ten times its size to read"
    )
    token: SecretStr | None = Field(None, description="bearer token that senders must present")
    token_env: str | None = Field(None, description="environment variable that holds the token")
    tls_cert: Path | None = Field(None, description="PEM certificate chain; turns TLS on")
    tls_key: Path | None = Field(None, description="PEM private key of the certificate")
    tls_client_ca: Path | None = Field(None, description="PEM certificates whose holders alone may send")
    header_timeout_s: float = Field(10.0, gt=0, le=600, description="time for a request's headers to arrive")
    body_timeout_s: float = Field(30.0, gt=0, le=600, description="time for a request's body to arrive")
    idle_timeout_s: float = Field(90.0, gt=0, le=3600, description="a connection without requests is closed after it")
    max_connections: int = Field(1000, ge=1, le=100_000, description="above it the longest idle one is closed (HTTP)")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if (self.tls_cert is None) != (self.tls_key is None):
            raise ValueError("tls_cert and tls_key belong together: set both or none")
        if self.tls_client_ca is not None and self.tls_cert is None:
            raise ValueError("tls_client_ca needs tls_cert and tls_key")
        if self.token is not None and self.token_env is not None:
            raise ValueError("set token or token_env, not both")
        return self

    @property
    def is_exposed(self) -> bool:
        """Whether others than this machine can reach it without showing a token or a certificate."""
        return (
            not is_loopback(self.host) and self.token is None and self.token_env is None and self.tls_client_ca is None
        )

    def read_token(self) -> str | None:
        """The bearer token, if one is asked for. Raises PermanentError where the environment lacks it."""
        if self.token_env is None:
            return self.token.get_secret_value() if self.token else None
        token = os.environ.get(self.token_env)
        if not token:
            raise PermanentError(f"token_env: the environment variable {self.token_env} is not set")
        return token
