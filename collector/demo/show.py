"""What the demo prints."""

from typing import Any

from rich.console import Console
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from collector.demo.corpus import Turn

_MARKS = {"supported": ("✓", "green"), "contradicted": ("✗", "bold red"), "not_in_context": ("?", "yellow")}


class Screen:
    """The terminal. Everything from outside is printed as plain text, never as markup."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(highlight=False)

    def heading(self, text: str) -> None:
        """A step of the story."""
        self._console.print()
        self._console.print(Text(text, "bold cyan"))

    def line(self, text: str, style: str = "") -> None:
        """A plain line."""
        self._console.print(Text(text, style))

    def asked(self, turn: Turn, protocol: str) -> None:
        """The application answered a customer."""
        self._console.print(Text.assemble(("  app, over ", "dim"), (f"{protocol:4}", "dim"), "  ", turn.question))
        self._console.print(Text.assemble(" " * 18, ("→ ", "dim"), (turn.answer, "italic")))

    def verdict(self, trace: dict[str, Any]) -> None:
        """The monitor judged a trace: `trace` is its document as /traces/ID?format=json gives it."""
        assessment = trace["assessments"][0]
        scores = "  ".join(_score(one) for one in assessment["evaluations"])
        self._console.print(Text.assemble(("  verdict ", "dim"), (trace["trace_id"][:8], "dim"), "  ", scores))
        for claim in assessment["claims"] or ():
            self._claim(claim)

    def alert(self, signal: dict[str, Any]) -> None:
        """A notification arrived at the webhook."""
        table = Table.grid(padding=(0, 2))
        worst = signal["traces"][0]
        rows = {
            "service": signal["service"],
            "the answer said": worst["claim"],
            "the chunk says": f"{worst['chunk']}: {worst['quote']}",
            "diagnosis": signal["diagnosis"],
            "evidence": signal["url"],
        }
        for name, value in rows.items():
            table.add_row(Text(name, "dim"), Text(str(value)))
        title = Text(f"ALERT  {signal['rule']}  {signal['severity']}", "bold red")
        self._console.print()
        self._console.print(Panel(table, title=title, subtitle=Text(signal["summary"], "red"), border_style="red"))

    def _claim(self, claim: dict[str, Any]) -> None:
        mark, style = _MARKS[claim["support"]]
        self._console.print(
            Text.assemble(" " * 18, (f"{mark} {claim['support'].replace('_', ' ')}: ", style), claim["claim"])
        )
        if claim["support"] == "contradicted":
            self._console.print(Text.assemble(" " * 20, (f"{claim['chunk']} says: ", "dim"), str(claim["quote"])))


def _score(evaluation: dict[str, Any]) -> str:
    name = evaluation["metric"]
    return (
        f"{name} {evaluation['value']:.2f}" if evaluation["outcome"] == "scored" else f"{name} {evaluation['reason']}"
    )
