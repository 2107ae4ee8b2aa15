"""Numbers of things, in words."""


def counted(number: int, noun: str) -> str:
    """`1 span`, `2 spans`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
