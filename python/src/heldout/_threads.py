"""Threads for asyncio that do not keep a program from ending."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import asyncio

Made = TypeVar("Made")


def in_thread(do: Callable[..., Made], *arguments: Any, **keywords: Any) -> asyncio.Future[Made]:
    """Calls a function in a thread of its own, and returns what it returns as a future of the running event loop.

    Unlike those of `asyncio.to_thread`, nobody waits for the thread if the future is cancelled and the program ends.
    """
    import asyncio
    import contextvars

    loop = asyncio.get_running_loop()
    future: asyncio.Future[Made] = loop.create_future()
    context = contextvars.copy_context()

    def deliver(made: Made | None, error: BaseException | None) -> None:
        if future.done():
            return
        if error is not None:
            future.set_exception(RuntimeError(str(error)) if isinstance(error, StopIteration) else error)
        else:
            future.set_result(made)  # type: ignore[arg-type]

    def work() -> None:
        made, error = None, None
        try:
            made = context.run(do, *arguments, **keywords)
        except BaseException as found:
            error = found
        try:
            loop.call_soon_threadsafe(deliver, made, error)
        except RuntimeError:
            pass  # the loop is closed, and nobody waits

    threading.Thread(target=work, daemon=True).start()
    return future
