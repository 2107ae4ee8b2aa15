"""Chat messages, in every shape that instrumentations write them."""

from collections.abc import Iterable, Mapping, Sequence

USER = frozenset({"user", "human", "humanmessage", "humanmessagechunk"})
ASSISTANT = frozenset({"assistant", "ai", "model", "aimessage", "aimessagechunk", "chatbot", "agent"})
_OTHERS = frozenset({"system", "systemmessage", "developer", "tool", "toolmessage", "function", "functionmessage"})
_ROLES = USER | ASSISTANT | _OTHERS
_TEXT_PARTS = frozenset({"text", "output_text", "input_text", "message"})
_GOOGLE_TOOL_KEYS = ("functionCall", "function_call", "functionResponse", "function_response")
_ENDS_SENTENCE = (".", "!", "?", ":", ";", "\n")


def last_text(messages: Sequence[object], roles: frozenset[str]) -> str | None:
    """The text of the last message that one of `roles` wrote; None where there is none.

    A message of tool calls only has no text. Batches (lists of lists) are read as one conversation.
    """
    for message in reversed(list(_flat(messages))):
        if role(message) in roles:
            text = message_text(message)
            if text:
                return text
    return None


def conversation(value: object) -> list[Mapping[str, object]]:
    """The messages in a decoded input, in order; empty where there are none."""
    if isinstance(value, Mapping):
        return [value] if role(value) else conversation(value.get("messages"))
    return list(_flat(value)) if isinstance(value, list) and is_conversation(value) else []


def is_conversation(items: Sequence[object]) -> bool:
    """Whether the list holds messages: things that somebody in a role said."""
    first = next(iter(_flat(items)), None)
    return first is not None and bool(role(first))


def role(message: Mapping[str, object]) -> str:
    """Who wrote the message, in lower case; "" where the mapping is no message."""
    for key in ("role", "message.role", "type"):
        value = message.get(key)
        if isinstance(value, str) and value.lower() in _ROLES:
            return value.lower()
    inner = _inner(message)
    if inner is not None:
        return role(inner) or _constructor(message)
    return ""


def message_text(message: Mapping[str, object]) -> str | None:
    """What the message says, its tool calls, tool results and reasoning left out."""
    inner = _inner(message)
    if inner is not None:
        return message_text(inner)
    for key in ("content", "parts", "contents", "message.content", "text"):
        value = message.get(key)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, list):
            return parts_text(value)
        if isinstance(value, dict):
            return message_text(value)
    return None


def parts_text(parts: Sequence[object]) -> str | None:
    """The text among the parts of a message: what follows the last tool part, else all of it."""
    texts: list[str] = []
    earlier: list[str] = []
    for part in parts:
        text = _part_text(part)
        if text is not None:
            texts.append(text)
        elif _is_tool_part(part):
            earlier, texts = earlier + texts, []
    return _join(texts or earlier) or None


def _part_text(part: object) -> str | None:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return None
    if str(part.get("type", "text")).lower() not in _TEXT_PARTS:
        return None
    text = part.get("text", part.get("content"))
    return text if isinstance(text, str) else None


def _is_tool_part(part: object) -> bool:
    if not isinstance(part, dict):
        return False
    kind = str(part.get("type", "")).lower()
    return "tool" in kind or "function" in kind or any(key in part for key in _GOOGLE_TOOL_KEYS)


def _join(texts: Iterable[str]) -> str:
    """Parts that continue each other are one text; a part after the end of a sentence starts a line."""
    joined = ""
    for text in texts:
        between = "\n" if joined.endswith(_ENDS_SENTENCE) and text[:1].strip() else ""
        joined += between + text
    return joined


def _inner(message: Mapping[str, object]) -> Mapping[str, object] | None:
    """The message inside LangChain's constructors, its {"type", "data"} form, and {"message": ..} of completions."""
    for key in ("kwargs", "data", "message"):
        value = message.get(key)
        if isinstance(value, dict) and "content" in value:
            return value
    return None


def _constructor(message: Mapping[str, object]) -> str:
    path = message.get("id")
    name = path[-1] if isinstance(path, list) and path else ""
    return name.lower() if isinstance(name, str) and name.lower() in _ROLES else ""


def _flat(items: Iterable[object]) -> Iterable[Mapping[str, object]]:
    for item in items:
        if isinstance(item, dict):
            yield item
        elif isinstance(item, list):
            yield from (inner for inner in item if isinstance(inner, dict))
