"""SIGTERM and SIGINT."""

import asyncio
import signal


async def until_told(failure: asyncio.Event) -> None:
    """Wait for a signal to stop, or for the failure."""
    asked = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, asked.set)
    waits = [asyncio.create_task(event.wait()) for event in (asked, failure)]
    await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    for wait in waits:
        wait.cancel()
    for number in (signal.SIGTERM, signal.SIGINT):
        # The second signal ends the process at once: whoever sends it does not want to wait.
        loop.remove_signal_handler(number)
