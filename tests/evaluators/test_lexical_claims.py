import pytest

from evaluators.lexical.abstention import abstains
from evaluators.lexical.claims import CLAIMS_AT_MOST, statements

BUYING = """Based on the provided context, here is what matters:

## Advantages
1. **Equity:** Payments build equity over time [1].
2. Interest is [tax deductible](https://example.org/tax) [2, 3]; fees are not.
- The term is 30 years (source: loan guide)

```python
print("not a claim")
```

| Plan | Price |
|---|---|
| Basic | 5 euros |

Would you like a calculation? Let me know if you have any other questions!"""


def claims(answer: str) -> tuple[str, ...]:
    return statements(answer).claims


def test_markup_citations_code_and_asides_are_no_part_of_a_claim():
    assert claims(BUYING) == (
        "Equity: Payments build equity over time .",
        "Interest is tax deductible",
        "fees are not.",
        "The term is 30 years",
        "Plan   Price",
        "Basic   5 euros",
    )


@pytest.mark.parametrize(
    ("answer", "claim"),
    [
        ("According to the documents, the fee is 5 euros.", "the fee is 5 euros."),
        ("Yes, the fee is 5 euros.", "the fee is 5 euros."),
        ("The context states that the fee is 5 euros.", "the fee is 5 euros."),
        ("Laut dem Dokument beträgt die Gebühr 5 Euro.", "beträgt die Gebühr 5 Euro."),
        ("D'après le contexte, les frais sont de 5 euros.", "les frais sont de 5 euros."),
        ("Según los documentos, la tarifa es de 5 euros.", "la tarifa es de 5 euros."),
        ("根据提供的文档，费用为5欧元。", "费用为5欧元。"),
        ("제공된 문서에 따르면 수수료는 5유로입니다.", "수수료는 5유로입니다."),
        ("Did you know that the fee is 5 euros?", "the fee is 5 euros?"),
    ],
)
def test_a_lead_in_is_cut_from_the_claim(answer: str, claim: str):
    assert claims(answer) == (claim,)


@pytest.mark.parametrize(
    "answer",
    ["Yes.", "No!", "Sure!", "How can I help you today?", "Great question!", "Let me know if you need more.", ""],
)
def test_what_claims_nothing_gives_no_claims(answer: str):
    assert not [claim for claim in claims(answer) if claim.strip(" .!") not in ("Yes", "No")]


def test_abbreviations_initials_and_decimals_do_not_end_a_sentence():
    assert claims("Dr. J. Smith pays 2.5 euros, i.e. nothing. U.S. law applies.") == (
        "Dr. J. Smith pays 2.5 euros, i.e. nothing.",
        "U.S. law applies.",
    )


def test_sentences_end_in_every_script():
    assert len(claims("退款需要30天。运费免费！")) == 2
    assert len(claims("返品は30日以内です。送料は無料です。")) == 2
    assert len(claims("वापसी 30 दिन में संभव है। शुल्क नहीं है।")) == 2


@pytest.mark.parametrize(
    "answer",
    [
        "I don't know.",
        "I do not have enough information to answer that.",
        "The provided context does not mention the price.",
        "The documents don't contain any information about refunds.",
        "There is no information about this in the context.",
        "I'm sorry, but I cannot answer this question based on the given documents.",
        "Unfortunately, I was unable to find an answer.",
        "This is not specified in the provided text.",
        "Das kann ich anhand der Dokumente nicht beantworten, dazu liegen keine Informationen vor.",
        "Der Kontext enthält keine Informationen dazu.",
        "Je ne sais pas.",
        "Le contexte ne mentionne pas le prix.",
        "No lo sé.",
        "No tengo información suficiente para responder.",
        "El contexto no menciona el precio.",
        "Non lo so.",
        "Il contesto non menziona il prezzo.",
        "Não sei.",
        "O contexto não menciona o preço.",
        "Ik weet het niet.",
        "Я не знаю.",
        "В контексте нет информации об этом.",
        "Saya tidak tahu.",
        "我不知道。",
        "上下文中没有提到价格。",
        "文档未提及退款期限。",
        "わかりません。",
        "文脈には価格に関する情報がありません。",
        "모르겠습니다.",
        "문서에는 가격에 대한 정보가 없습니다.",
        "मुझे नहीं पता।",
        "لا أعرف.",
        "Tôi không biết.",
        "ไม่ทราบ",
        "Bilmiyorum.",
        "Nie wiem.",
    ],
)
def test_an_abstention_is_recognised(answer: str):
    said = statements(answer)

    assert said.declines
    assert not said.claims


@pytest.mark.parametrize(
    "answer",
    [
        "The warranty does not cover accidental damage.",
        "You cannot return opened software.",
        "Passwords must not be shared.",
        "There is no fee for returns.",
        "Die Garantie gilt nicht für Akkus.",
        "Les retours ne sont pas gratuits.",
        "La garantía no cubre daños accidentales.",
        "电池不在保修范围内。",
        "返品はできません。",
        "The company did not give a reason for the delay.",
    ],
)
def test_a_negative_statement_is_no_abstention(answer: str):
    assert not abstains(answer)
    assert claims(answer) == (answer,)


def test_what_an_abstention_goes_on_to_say_is_a_claim():
    said = statements("I don't know the price, but the contract runs for 12 months.")

    assert said.declines
    assert said.claims == ("the contract runs for 12 months.",)


def test_claims_are_at_most_64():
    assert len(claims("The fee is 5 euros. " * 500)) == CLAIMS_AT_MOST
