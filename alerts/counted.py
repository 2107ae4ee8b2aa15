"""A number with its noun."""


def counted(number: int, noun: str) -> str:
    """As people say it: "1 answer", "2 answers"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
