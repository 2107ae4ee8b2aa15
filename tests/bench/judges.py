"""What the lexical judge reaches on labelled data, and what it costs: `python -m tests.bench.judges [DIRECTORY]`.

The directory (or GROUNDWATCH_JUDGE_DATA, or ../shared/judge-data) holds one JSON object a line with q, context,
answer and label (1 good, 0 bad) in `mtrag_faith.jsonl`, `begin.jsonl` and so on; a set that is missing is left out.
An answer's score is the mean strength of its claims; `faithfulness` is what the product reports, supported / claims.
Answers without a claim are skipped there and here. The thresholds are the same for all sets.
"""

import json
import os
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluators.facets import Facet, FacetAnswers, Support
from evaluators.judges.lexical import FACETS, judge
from evaluators.lexical.support import SUPPORTED_FROM
from evaluators.sample import Chunk, RagSample, Readiness
from tests.bench.swaps import swaps

FAITHFULNESS_FROM = 0.5
ENGLISH = ("mtrag_faith", "begin", "halueval_qa", "halueval_summ")
OTHERS = ("klue_nli", "xnli_ko", "indonli")
GOOD_ONLY = ("clapnq_faith_pos",)
RELEVANCE = (("clapnq_ctx", "chunk"), ("fitzgov_ctx", "context"))
SPLITS = 10


@dataclass(frozen=True)
class Scored:
    """One labelled answer as judged."""

    label: int
    strength: float
    faithfulness: float
    contradicted: bool


def main(arguments: Sequence[str]) -> None:
    """Print a line per set."""
    directory = Path(arguments[0] if arguments else os.environ.get("GROUNDWATCH_JUDGE_DATA", "../shared/judge-data"))
    standard_case()
    if not directory.is_dir():
        print(f"no labelled data in {directory}: name its directory as argument or in GROUNDWATCH_JUDGE_DATA")
        return
    answers(directory)
    replaced(directory)
    relevance(directory)


def answers(directory: Path) -> None:
    """Claims against context."""
    print(f"\nfaithfulness: good from mean strength {SUPPORTED_FROM}, and from faithfulness {FAITHFULNESS_FROM}")
    print(f"{'set':18}{'n':>5}{'skip':>5}{'AUC':>7}{'bal.acc':>9}{'flagged':>9}{'caught':>8}", end="")
    print(f"{'faith.AUC':>11}{'bal.acc':>9}{'contra.good':>13}{'contra.bad':>12}{'CPU ms':>8}{'p95':>7}")
    judged: dict[str, list[Scored]] = {}
    for name in (*ENGLISH, *OTHERS, *GOOD_ONLY):
        if items := load(directory, name):
            judged[name] = report_answers(name, items)
    for title, names in (("English", ENGLISH), ("other languages", OTHERS), ("all", (*ENGLISH, *OTHERS))):
        sets = [judged[name] for name in names if name in judged]
        if sets:
            print(f"mean balanced accuracy, {title}: {statistics.fmean(map(at_strength, sets)):.3f}", end="")
            print(f", by faithfulness {statistics.fmean(map(at_faithfulness, sets)):.3f}")
    labelled = [judged[name] for name in (*ENGLISH, *OTHERS) if name in judged]
    if labelled:
        cross_validate(labelled)


def report_answers(name: str, items: list[dict[str, Any]]) -> list[Scored]:
    """Judge one set and print its line."""
    scored, costs, skipped = [], [], 0
    for item in items:
        found, cost = timed(sample(item["q"], item["context"], item["answer"]), frozenset({Facet.CLAIM_SUPPORT}))
        costs.append(cost)
        assert found.claim_support is not None
        claims = found.claim_support.claims
        if not claims:
            skipped += 1
            continue
        supported = sum(claim.support is Support.SUPPORTED for claim in claims)
        contradicted = any(claim.support is Support.CONTRADICTED for claim in claims)
        strength = statistics.fmean(claim.strength for claim in claims)
        scored.append(Scored(item["label"], strength, supported / len(claims), contradicted))
    good, bad = [s for s in scored if s.label], [s for s in scored if not s.label]
    line = f"{name:18}{len(items):5}{skipped:5}"
    if bad:
        line += f"{auc(scored, strength_of):7.3f}{at_strength(scored):9.3f}"
    else:
        line += f"{'':16}"
    line += f"{share(good, lambda s: s.strength < SUPPORTED_FROM):9.3f}"
    line += f"{share(bad, lambda s: s.strength < SUPPORTED_FROM):8.3f}" if bad else f"{'':8}"
    line += f"{auc(scored, faithfulness_of):11.3f}{at_faithfulness(scored):9.3f}" if bad else f"{'':20}"
    line += f"{share(good, lambda s: s.contradicted):13.3f}"
    line += f"{share(bad, lambda s: s.contradicted):12.3f}" if bad else f"{'':12}"
    print(f"{line}{statistics.median(costs):8.2f}{percentile(costs, 0.95):7.2f}", flush=True)
    return scored


def replaced(directory: Path) -> None:
    """Sentences of the passages with one number or name replaced."""
    found = swaps([item["context"][0] for item in load(directory, GOOD_ONLY[0])])
    for kind in ("number", "name"):
        told = [verdict_on(swap.passage, swap.told) for swap in found if swap.kind == kind]
        changed = [verdict_on(swap.passage, swap.changed) for swap in found if swap.kind == kind]
        if not told:
            continue
        scores = [(1, score) for _, score in told] + [(0, score) for _, score in changed]
        print(
            f"sentences of the passages with one {kind} replaced: {len(changed)}, AUC {rank_auc(scores):.3f}, ", end=""
        )
        print(f"contradicted {statistics.fmean(hit for hit, _ in changed):.2f}, ", end="")
        print(
            f"below {SUPPORTED_FROM} {statistics.fmean(score < SUPPORTED_FROM for _, score in changed):.2f}; ", end=""
        )
        print(f"as told: contradicted {statistics.fmean(hit for hit, _ in told):.3f}")


def verdict_on(passage: str, answer: str) -> tuple[bool, float]:
    """Whether a claim of the answer is contradicted, and the weakest claim's strength."""
    found = judge(sample("", passage, answer), frozenset({Facet.CLAIM_SUPPORT})).claim_support
    assert found is not None
    claims = found.claims
    return any(c.support is Support.CONTRADICTED for c in claims), min((c.strength for c in claims), default=1.0)


def relevance(directory: Path) -> None:
    """Chunks and answers against the question."""
    print("\nrelevance to the question")
    for name, field in RELEVANCE:
        if items := load(directory, name):
            graded = [(item["label"], best_chunk(item["q"], item[field])) for item in items]
            print(f"{name:18} chunk relevance AUC {rank_auc(graded):.3f} (a set of chunks counts as its best)")
    if items := load(directory, "clapnq_ansrel"):
        graded = [(item["label"], answer_relevancy(item["q"], item["answer"])) for item in items]
        print(f"{'clapnq_ansrel':18} answer relevancy AUC {rank_auc(graded):.3f}")


def best_chunk(question: str, chunks: str | list[str]) -> float:
    """Relevance of the most relevant chunk."""
    found = judge(sample(question, chunks, ""), frozenset({Facet.CHUNK_RELEVANCE})).chunk_relevance
    assert found is not None
    return max(found.scores)


def answer_relevancy(question: str, answer: str) -> float:
    """Relevancy of an answer alone, without a context."""
    found = judge(sample(question, [], answer), frozenset({Facet.ANSWER_FIT})).answer_fit
    assert found is not None
    return found.relevancy


def cross_validate(sets: list[list[Scored]]) -> None:
    """Fix the threshold on one half of every set, and measure on the other half."""
    rng = random.Random(7)
    reached, chosen = [], []
    for _ in range(SPLITS):
        halves = [rng.sample(scored, len(scored)) for scored in sets]
        tuning = [half[: len(half) // 2] for half in halves]
        held_out = [half[len(half) // 2 :] for half in halves]
        threshold = max(
            (step / 100 for step in range(30, 91)),
            key=lambda t: statistics.fmean(balanced(scored, strength_of, t) for scored in tuning),
        )
        chosen.append(threshold)
        reached.append(statistics.fmean(balanced(scored, strength_of, threshold) for scored in held_out))
    print(f"threshold fixed on half of every set, {SPLITS} times: {min(chosen):.2f} to {max(chosen):.2f}; ", end="")
    print(f"mean balanced accuracy on the other halves {statistics.fmean(reached):.3f}")


def standard_case() -> None:
    """The CPU of one verdict of all facets at 5 chunks of 1 KB and 4 claims."""
    rng = random.Random(11)
    for _ in range(200):
        judge(standard_sample(rng, standard_chunks(rng)), FACETS)
    chunks = [standard_chunks(rng) for _ in range(60)]
    new = [timed(standard_sample(rng, texts), FACETS)[1] for texts in chunks]
    again = [timed(standard_sample(rng, texts), FACETS)[1] for texts in chunks for _ in range(3)]
    print("5 chunks of 1 KB, 4 claims, all facets, CPU ms a verdict:", end="")
    for title, costs in (("new chunks", new), ("chunks seen before", again)):
        print(f" {title} {statistics.median(costs):.2f} (p95 {percentile(costs, 0.95):.2f})", end="")
    text = " ".join(chunks[0]).lower()
    floor = min(timed_loop(text.split, 200) for _ in range(5))
    print(f"; splitting the same text at its spaces takes {floor:.3f}")


def standard_chunks(rng: random.Random) -> list[str]:
    """Five chunks of 1 KB of made-up sentences."""
    return [" ".join(made_up(rng) for _ in range(14))[:1024] for _ in range(5)]


def standard_sample(rng: random.Random, chunks: list[str]) -> RagSample:
    """Two claims are in the chunks, one has another unit, one is of something else."""
    told = [rng.choice(chunk.split(". ")[:8]) for chunk in chunks]
    answer = f"{told[0]}. {told[1]}. {told[2].replace(' days', ' weeks')}. {made_up(rng)}"
    return sample(f"What about {told[0].lower()}?", chunks, answer)


def made_up(rng: random.Random) -> str:
    """A sentence of words that follow Zipf's law, as in any language, with a number."""
    words = [VOCABULARY[min(int(len(VOCABULARY) ** rng.random()), len(VOCABULARY)) - 1] for _ in range(12)]
    content = " ".join(f"{rng.choice(('the', 'of', 'in', 'for', 'with', 'is'))} {word}" for word in words[:7])
    return f"The {words[7]} {content} within {rng.randint(2, 400)} days to {words[8].title()}."


SYLLABLES = ("ba", "ce", "di", "fo", "gu", "ka", "le", "mi", "no", "pu", "ra", "se", "ti", "vo", "zu")
VOCABULARY = ["".join(random.Random(number).choices(SYLLABLES, k=2 + number % 3)) for number in range(2_000)]


def sample(question: str, chunks: str | list[str], answer: str) -> RagSample:
    """A ready sample."""
    texts = [chunks] if isinstance(chunks, str) else chunks
    documents = tuple(Chunk(text) for text in texts)
    return RagSample("0" * 32, "bench", Readiness.RAG, question=question, chunks=documents, answer=answer)


def timed(case: RagSample, facets: frozenset[Facet]) -> tuple[FacetAnswers, float]:
    """The answers, and the CPU milliseconds they took."""
    started = time.process_time()
    found = judge(case, facets)
    return found, (time.process_time() - started) * 1e3


def timed_loop(work: Callable[[], object], times: int) -> float:
    """CPU milliseconds of one call, as the mean of many."""
    started = time.process_time()
    for _ in range(times):
        work()
    return (time.process_time() - started) * 1e3 / times


def load(directory: Path, name: str) -> list[dict[str, Any]]:
    """The items of a set; none where it is missing."""
    path = directory / f"{name}.jsonl"
    if not path.is_file():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def strength_of(scored: Scored) -> float:
    """The score for AUC."""
    return scored.strength


def faithfulness_of(scored: Scored) -> float:
    """The score that the product reports."""
    return scored.faithfulness


def at_strength(scored: Sequence[Scored]) -> float:
    """Balanced accuracy by mean strength."""
    return balanced(scored, strength_of, SUPPORTED_FROM)


def at_faithfulness(scored: Sequence[Scored]) -> float:
    """Balanced accuracy by faithfulness."""
    return balanced(scored, faithfulness_of, FAITHFULNESS_FROM)


def balanced(scored: Sequence[Scored], score: Callable[[Scored], float], threshold: float) -> float:
    """Mean of the share of good answers that pass and of bad ones that do not."""
    good = share([s for s in scored if s.label], lambda s: score(s) >= threshold)
    bad = share([s for s in scored if not s.label], lambda s: score(s) < threshold)
    return (good + bad) / 2


def share(scored: Sequence[Scored], holds: Callable[[Scored], bool]) -> float:
    """Share of those for which it holds."""
    return sum(map(holds, scored)) / max(1, len(scored))


def auc(scored: Sequence[Scored], score: Callable[[Scored], float]) -> float:
    """Area under the ROC curve."""
    return rank_auc([(s.label, score(s)) for s in scored])


def rank_auc(labelled: Sequence[tuple[int, float]]) -> float:
    """The chance that a good one scores above a bad one; ties count half."""
    good = [score for label, score in labelled if label]
    bad = [score for label, score in labelled if not label]
    wins = sum((g > b) + 0.5 * (g == b) for g in good for b in bad)
    return wins / (len(good) * len(bad))


def percentile(values: Sequence[float], fraction: float) -> float:
    """The value below which that fraction lies."""
    return sorted(values)[int(fraction * (len(values) - 1))]


if __name__ == "__main__":
    main(sys.argv[1:])
