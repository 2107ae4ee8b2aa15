from dataclasses import replace

from evaluators.cache import MemoryCache
from evaluators.dispatcher import Dispatcher, JudgeLane
from tests.fakes import ScriptedJudge
from tests.judging import ALL, judging
from tests.samples import sample


async def test_another_prompt_version_misses_the_cache_and_is_named_in_the_result():
    old, new = ScriptedJudge(0.0), ScriptedJudge(0.0)
    new.identity = replace(new.identity, version="2")
    async with judging(old) as running:
        cache = MemoryCache(running.clock)
        for judge in (old, old, new):
            dispatcher = Dispatcher(
                {"scripted": JudgeLane(judge)}, cache, running.delivered.append, running.metrics, running.clock
            )
            await dispatcher.start()
            dispatcher.submit(sample(), "scripted", ALL, running.clock.monotonic())
            assert await dispatcher.drain(5) == 0
    assert [judgement.cached for judgement in running.delivered] == [False, True, False]
    assert [judgement.identity for judgement in running.delivered] == [
        "test/model-1@1",
        "test/model-1@1",
        "test/model-1@2",
    ]
