"""What a run sets for its whole process, only while it lasts: torch's settings and signals."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import torch

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def torch_settings(threads: int, bfloat16: bool) -> Iterator[None]:
    """Set torch's number of threads and its precision of float32 products, and restore both.

    With `bfloat16`, the factors of float32 products are rounded to it and summed in float32. With
    many actions that saves an eighth of an update. Without it products are exact to float32.
    """
    threads_before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        with _product_precision(bfloat16):
            yield
    finally:
        torch.set_num_threads(threads_before)


@contextmanager
def _product_precision(bfloat16: bool) -> Iterator[None]:
    """Set the precision of float32 products on the CPU, and restore it."""
    products = getattr(torch.backends.mkldnn, "matmul", None)
    if products is None:  # torch before 2.9 has one setting for all devices
        before = torch.get_float32_matmul_precision()
        torch.set_float32_matmul_precision("medium" if bfloat16 else "highest")
        try:
            yield
        finally:
            torch.set_float32_matmul_precision(before)
        return
    before = products.fp32_precision
    products.fp32_precision = "bf16" if bfloat16 else "ieee"
    try:
        yield
    finally:
        products.fp32_precision = before


@contextmanager
def stop_signals(stop: Callable[[int], None]) -> Iterator[None]:
    """Handle SIGINT and SIGTERM by `stop(number)`, and restore the handlers there were.

    Outside the main thread, where Python allows no handlers, nothing is changed.
    """

    def handle(number: int, frame: FrameType | None) -> None:
        stop(number)

    before = {}
    try:
        for number in _SIGNALS:
            before[number] = signal.signal(number, handle)
    except ValueError:  # not in the main thread
        yield
        return
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
