"""The sample application's knowledge base, and what its model answers.

The model is scripted, so that the demo needs no key and always tells the same story; retrieval is real.
"""

from typing import NamedTuple


class Document(NamedTuple):
    """A passage of the knowledge base."""

    id: str
    text: str


class Turn(NamedTuple):
    """A question that a customer asks, and the model's answer."""

    question: str
    answer: str


DOCUMENTS = (
    Document(
        "refund-policy#1",
        "Refunds: customers may return any product for a full refund within 30 days of purchase. "
        "The refund is paid to the original payment method.",
    ),
    Document(
        "shipping#2",
        "Shipping: standard delivery takes 3 to 5 business days within the EU. Express delivery arrives the next day.",
    ),
    Document(
        "warranty#1",
        "Warranty: every kettle carries a two-year warranty covering the heating element. "
        "Limescale damage is not covered by the warranty.",
    ),
    Document(
        "account#4",
        "Accounts: to reset your password open Settings, choose Security and press Reset password. "
        "The link in the e-mail is valid for one hour.",
    ),
    Document("cafeteria#7", "The cafeteria serves lunch from noon until half past one on weekdays."),
)

TURNS = (
    Turn(
        "How long does standard delivery take within the EU?",
        "Standard delivery takes 3 to 5 business days within the EU.",
    ),
    Turn(
        "How do I reset my account password?",
        "Open Settings, choose Security and press Reset password.",
    ),
    Turn(
        "Within how many days can I get a refund?",
        "You can get a full refund within 90 days of purchase.",
    ),
    Turn(
        "Does the warranty cover limescale damage?",
        "Limescale damage is not covered by the warranty.",
    ),
    Turn(
        "Which colours does the kettle come in?",
        "I don't know: the documents that I have do not say which colours there are.",
    ),
)
