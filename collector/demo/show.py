"""What the demo prints."""

from typing import Any

from rich.console import Console
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from collector.demo.corpus import Turn
from evaluators.metrics import METRICS

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

    def rows(self, *rows: tuple[str, str]) -> None:
        """Names with an explanation each."""
        self._grid(*((Text(name, "bold"), Text(text)) for name, text in rows))

    def asked(self, turn: Turn, protocol: str) -> None:
        """The application answered a customer."""
        self._grid((Text(protocol, "dim"), Text(turn.question)), (Text(""), Text(f"→ {turn.answer}", "italic")))

    def verdict(self, trace: dict[str, Any]) -> None:
        """The monitor judged a trace: `trace` is its document as /traces/ID?format=json gives it."""
        assessment = trace["assessments"][0]
        scores = Text(", ").join(_score(one) for one in assessment["evaluations"])
        claims = [line for claim in assessment["claims"] or () for line in _claim(claim)]
        self._grid((Text(trace["trace_id"][:8], "dim"), scores), *((Text(""), line) for line in claims))

    def alert(self, signal: dict[str, Any], *, link: bool) -> None:
        """A notification arrived at the webhook; `link`: its page can be opened for longer than a moment."""
        worst = signal["traces"][0]
        table = Table.grid(padding=(0, 2))
        table.add_column(style="dim", no_wrap=True)
        table.add_column(overflow="fold")
        for name, value in (
            ("summary", signal["summary"]),
            ("the answer said", worst["claim"]),
            ("the chunk says", f"{worst['chunk']}: {worst['quote']}"),
            ("diagnosis", signal["diagnosis"]),
        ):
            table.add_row(name, Text(str(value), "bold" if name == "summary" else ""))
        self._console.print()
        title = Text(f" ALERT {signal['rule']}, severity {signal['severity']} ", "bold red")
        self._console.print(Panel(table, title=title, border_style="red"))
        if link:
            # On a line of its own, so that a terminal can open it.
            self._console.print(Text.assemble(("evidence  ", "dim"), signal["url"]), soft_wrap=True)

    def _grid(self, *rows: tuple[Text, Text]) -> None:
        grid = Table.grid(padding=(0, 2, 0, 0))
        grid.add_column(min_width=8, no_wrap=True)
        grid.add_column(overflow="fold")
        for label, text in rows:
            grid.add_row(Text("  ") + label, text)
        self._console.print(grid)


def _score(evaluation: dict[str, Any]) -> Text:
    """The score, in red where it is on the wrong side of its metric's threshold, or why there is none."""
    name = evaluation["metric"].replace("_", " ")
    if evaluation["outcome"] != "scored":
        return Text(f"{name}: {evaluation['reason']}", "dim")
    is_bad = METRICS[evaluation["metric"]].is_bad(evaluation["value"])
    return Text(f"{name} {evaluation['value']:.2f}", "bold red" if is_bad else "")


def _claim(claim: dict[str, Any]) -> list[Text]:
    mark, style = _MARKS[claim["support"]]
    lines = [Text.assemble((f"{mark} {claim['support'].replace('_', ' ')}: ", style), claim["claim"])]
    if claim["support"] == "contradicted":
        lines.append(Text.assemble((f"  {claim['chunk']} says: ", "dim"), str(claim["quote"])))
    return lines
