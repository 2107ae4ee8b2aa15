"""Prints what Alertmanager sends, as a person would get it: `python inbox.py [PORT]`.

Stands for a pager and a tracker; the path of the request says which.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

MAX_BODY = 1 << 20
SHOWN = (
    ("claim", "answer said"),
    ("quote", "chunk says"),
    ("chunk", "chunk"),
    ("diagnosis", "diagnosis"),
    ("description", ""),
    ("evidence_url", "evidence"),
    ("runbook", "runbook"),
)


def lines(receiver: str, notification: Mapping[str, Any]) -> Iterator[str]:
    """A notification of Alertmanager's webhook, as text."""
    for alert in notification["alerts"]:
        labels, notes = alert["labels"], alert["annotations"]
        about = " ".join(f"{name}={labels[name]}" for name in ("service", "judge") if name in labels)
        yield f"{alert['status'].upper()} {receiver}: {labels['alertname']} {about}".rstrip()
        yield f"  {notes.get('summary', '')}"
        for name, title in SHOWN:
            # A description says it all again, for who shows nothing else.
            if notes.get(name) and not (name == "description" and "claim" in notes):
                yield f"  {title:<12} {notes[name]}" if title else f"  {notes[name]}"


class Inbox(BaseHTTPRequestHandler):
    """Takes Alertmanager's webhooks."""

    def do_POST(self) -> None:
        """Print one notification."""
        length = int(self.headers.get("Content-Length", 0))
        if length > MAX_BODY:
            self.send_error(413)
            return
        notification = json.loads(self.rfile.read(length))
        print(*lines(self.path.strip("/"), notification), sep="\n", flush=True)
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  named by the base class
        """Requests are not logged: what they say is printed."""


if __name__ == "__main__":
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 9000
    HTTPServer(("", port), Inbox).serve_forever()
