"""Answers that show content: never cached, never framed, never with anything from elsewhere."""

from collections.abc import Mapping

from aiohttp import web

from alerts.encoding import to_json
from alerts.evidence.style import CONTENT_SECURITY_POLICY

_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def html_response(document: str, status: int = 200) -> web.Response:
    """A page."""
    body = document.encode("utf-8", "replace")
    return web.Response(body=body, status=status, content_type="text/html", charset="utf-8", headers=_HEADERS)


def json_response(document: Mapping[str, object], status: int = 200) -> web.Response:
    """A JSON object."""
    body = to_json(document)
    return web.Response(body=body, status=status, content_type="application/json", headers=_HEADERS)
