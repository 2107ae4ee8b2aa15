"""The certificate of a receiver, read again when its files change."""

import logging
import ssl
from dataclasses import dataclass
from pathlib import Path

from collector.receivers.settings import ReceiverSettings
from evaluators.errors import PermanentError

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Files:
    cert: Path
    key: Path
    client_ca: Path | None

    def version(self) -> tuple[int, ...]:
        paths = [self.cert, self.key] + ([self.client_ca] if self.client_ca else [])
        return tuple(path.stat().st_mtime_ns for path in paths)

    def load_into(self, context: ssl.SSLContext) -> None:
        context.load_cert_chain(self.cert, self.key)
        if self.client_ca:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(self.client_ca)


class Certificate:
    """Certificate files of a receiver. A broken replacement is refused, logged and counted in `failures`."""

    def __init__(self, settings: ReceiverSettings) -> None:
        if settings.tls_cert is None or settings.tls_key is None:
            raise PermanentError("tls_cert and tls_key are needed for TLS")
        self._files = _Files(settings.tls_cert, settings.tls_key, settings.tls_client_ca)
        self.failures = 0
        self._seen = self._version()
        self._check()
        self.context = _server_context()
        self._files.load_into(self.context)

    @property
    def demands_client_certificate(self) -> bool:
        """Whether senders must show a certificate."""
        return self._files.client_ca is not None

    def pem(self) -> tuple[bytes, bytes, bytes | None]:
        """Private key, certificate chain and client CA as they stand on disk."""
        ca = self._files.client_ca
        return self._files.key.read_bytes(), self._files.cert.read_bytes(), ca.read_bytes() if ca else None

    def refresh(self) -> bool:
        """Take over changed files; True where that changed anything. A broken set of files is told once and left."""
        try:
            version = self._version()
            if version == self._seen:
                return False
            self._seen = version
            self._check()
            self._files.load_into(self.context)
        except PermanentError as error:
            self.failures += 1
            log.error("TLS files not taken over, the old ones stay: %s", error)  # noqa: TRY400  the message says it all
            return False
        return True

    def _version(self) -> tuple[int, ...]:
        try:
            return self._files.version()
        except OSError as error:
            raise PermanentError(f"tls: {error.filename}: {error.strerror}") from error

    def _check(self) -> None:
        """Load the files into a context that is thrown away: half of a bad pair must not end up in the live one."""
        try:
            self._files.load_into(_server_context())
        except (ssl.SSLError, OSError) as error:
            raise PermanentError(f"tls_cert, tls_key or tls_client_ca cannot be used: {error.strerror}") from error


def _server_context() -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context
