"""How many texts without an attack are suspected, how many attacks are noticed, and what looking costs.

python -m tests.bench.injections [DIRECTORY ...]

A directory holds labelled data as for `tests.bench.judges` (*.jsonl), or any texts. Texts are cut into chunks of 1000
characters. The captures of real applications and the attacks of the tests are always looked at.
"""

import gzip
import itertools
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from collector.conventions.reader import TraceReader
from collector.inspect import inspect_files
from evaluators.injection import suspicions_in
from evaluators.judges.lexical import FACETS, judge
from evaluators.sample import Chunk, RagSample, Readiness
from tests.attacks import ATTACKS

SIZE, PER_TRACE = 1000, 5
ROUNDS = 7
CAPTURES = Path(__file__).parents[1] / "captures"


def main(arguments: Sequence[str]) -> None:
    """Print a line per source, then the attacks, then the cost."""
    found = inspect_files(sorted(CAPTURES.rglob("*.pb")), TraceReader())
    samples = [examination.sample for examination in found.examinations]
    report("captures", (text for sample in samples for text in texts_of(sample)))
    for name in arguments:
        for path in sorted(Path(name).glob("*.jsonl")) or [Path(name)]:
            report(path.name, texts_in(path))
    missed = [name for name, attack in ATTACKS.items() if not suspected(attack)]
    print(f"attacks noticed: {len(ATTACKS) - len(missed)} of {len(ATTACKS)}; not: {', '.join(missed)}")
    cost([text for name in arguments for path in sorted(Path(name).glob("*.jsonl")) for text in texts_in(path)])


def report(name: str, texts: Iterator[str]) -> None:
    """How many chunks of a source are suspected."""
    chunks = [text[at : at + SIZE] for text in texts for at in range(0, len(text), SIZE)]
    flagged = [chunk for chunk in chunks if suspected(chunk)]
    rate = 1000 * len(flagged) / len(chunks) if chunks else 0.0
    print(f"{name:24}{len(chunks):8} chunks{len(flagged):6} suspected{rate:8.2f} per thousand")


def suspected(text: str) -> bool:
    """Whether a chunk with this text is."""
    return bool(suspicions_in(RagSample("", "", Readiness.RAG, chunks=(Chunk(text),))))


def cost(texts: Sequence[str]) -> None:
    """CPU of looking at a trace, as a share of the embedded judge's verdict on it, in turns."""
    whole = [text[:SIZE] for text in texts if len(text) >= SIZE]
    traces = [trace for trace in map(tuple, _batched(whole, PER_TRACE)) if len(trace) == PER_TRACE][:60]
    samples = [
        RagSample("", "", Readiness.RAG, "How long may it take?", tuple(map(Chunk, trace)), trace[0][:400])
        for trace in traces
    ]
    if not samples:
        return
    looks, verdicts = [], []
    for _ in range(ROUNDS):
        looks.append(_cpu(lambda: [suspicions_in(sample) for sample in samples]))
        verdicts.append(_cpu(lambda: [judge(sample, FACETS) for sample in samples]))
    look, verdict = min(looks) / len(samples), min(verdicts) / len(samples)
    share = f"{look * 1e3:.3f} ms CPU, a verdict {verdict * 1e3:.3f} ms: {look / verdict:.1%}"
    print(f"a trace of {PER_TRACE} chunks of {SIZE}: {share}")


def _cpu(run: Callable[[], object]) -> float:
    started = time.process_time()
    run()
    return time.process_time() - started


def _batched(texts: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    return (texts[at : at + size] for at in range(0, len(texts), size))


def texts_of(sample: RagSample) -> Iterator[str]:
    """Every text of a sample."""
    texts = (sample.question, sample.answer, *(chunk.text for chunk in sample.chunks))
    return (text for text in texts if text)


def texts_in(path: Path) -> Iterator[str]:
    """Strings of JSON lines, or the texts of files."""
    if path.suffix == ".jsonl":
        for line in path.read_text().splitlines():
            yield from _strings(json.loads(line))
        return
    for file in sorted(itertools.islice((one for one in path.rglob("*") if one.is_file()), 10_000)):
        try:
            data = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        except (OSError, EOFError):
            continue
        yield data[:300_000].decode("utf-8", "replace")


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _strings(one)


if __name__ == "__main__":
    main(sys.argv[1:])
