"""Rows 40 and 41: TLS, client certificates, and certificate files that change on disk."""

import asyncio
import os
import ssl
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.x509.oid import NameOID

from collector.receivers.settings import ReceiverSettings
from collector.receivers.tls import Certificate
from evaluators.errors import PermanentError
from tests.certificates import self_signed
from tests.otlp import receiving

pytestmark = pytest.mark.parametrize("transport", ["grpc", "http"])


def _write(folder: Path, name: str) -> None:
    private, certificate = self_signed(name)
    (folder / "cert.pem").write_bytes(certificate)
    (folder / "key.pem").write_bytes(private)


def _files(folder: Path) -> dict[str, Path]:
    return {"tls_cert": folder / "cert.pem", "tls_key": folder / "key.pem"}


async def _name_shown(port: int, *, client: Path | None = None) -> str:
    """The common name of the certificate that a new handshake gets."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])
    if client:
        context.load_cert_chain(client / "cert.pem", client / "key.pem")
    reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=context)
    try:
        der = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
        # With TLS 1.3 a refused client certificate shows on the first read only.
        writer.write(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\x00\x00\x00\x04\x00\x00\x00\x00\x00")
        await asyncio.wait_for(reader.readexactly(1), 5)
    finally:
        writer.close()
    certificate = x509.load_der_x509_certificate(der)
    return str(certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)[0].value)


def _touch(folder: Path, seconds: int) -> None:
    for name in ("cert.pem", "key.pem"):
        path = folder / name
        stamp = path.stat().st_mtime + seconds
        os.utime(path, (stamp, stamp))


async def test_changed_files_are_used_by_the_next_handshake_and_broken_ones_are_not(
    transport: str, tmp_path: Path
) -> None:
    _write(tmp_path, "first")
    async with receiving(transport, **_files(tmp_path)) as bench:
        assert await _name_shown(bench.receiver.port) == "first"
        _write(tmp_path, "second")
        _touch(tmp_path, 10)
        assert await _name_shown(bench.receiver.port) == "second"
        (tmp_path / "cert.pem").write_text("broken")
        _touch(tmp_path, 20)
        assert await _name_shown(bench.receiver.port) == "second"
        _write(tmp_path, "third")
        _touch(tmp_path, 30)
        assert await _name_shown(bench.receiver.port) == "third"


async def test_a_key_that_does_not_fit_its_new_certificate_changes_nothing(transport: str, tmp_path: Path) -> None:
    _write(tmp_path, "first")
    async with receiving(transport, **_files(tmp_path)) as bench:
        key = (tmp_path / "key.pem").read_bytes()
        _write(tmp_path, "second")
        (tmp_path / "key.pem").write_bytes(key)
        _touch(tmp_path, 10)
        assert await _name_shown(bench.receiver.port) == "first"


async def test_a_broken_replacement_is_counted_once(transport: str, tmp_path: Path) -> None:
    _write(tmp_path, transport)
    certificate = Certificate(ReceiverSettings(port=0, **_files(tmp_path)))
    assert not certificate.refresh()
    (tmp_path / "key.pem").unlink()
    assert [certificate.refresh(), certificate.refresh()] == [False, False]
    _write(tmp_path, "again")
    _touch(tmp_path, 10)
    assert certificate.refresh()
    assert certificate.failures >= 1


async def test_only_holders_of_a_known_certificate_get_in(transport: str, tmp_path: Path) -> None:
    for name in ("server", "friend", "stranger"):
        (tmp_path / name).mkdir()
        _write(tmp_path / name, name)
    files = _files(tmp_path / "server") | {"tls_client_ca": tmp_path / "friend" / "cert.pem"}
    async with receiving(transport, **files) as bench:
        port = bench.receiver.port
        assert await _name_shown(port, client=tmp_path / "friend") == "server"
        for client in (None, tmp_path / "stranger"):
            with pytest.raises((ssl.SSLError, ConnectionError, asyncio.IncompleteReadError)):
                await _name_shown(port, client=client)


async def test_files_that_cannot_be_used_stop_the_start(transport: str, tmp_path: Path) -> None:
    (tmp_path / "cert.pem").write_text("x")
    (tmp_path / "key.pem").write_text("x")
    with pytest.raises(PermanentError, match="tls_cert"):
        async with receiving(transport, **_files(tmp_path)):
            pass
    with pytest.raises(PermanentError, match=r"absent\.pem"):
        async with receiving(transport, tls_cert=tmp_path / "absent.pem", tls_key=tmp_path / "key.pem"):
            pass
