"""What a run sets for its whole process, only while it lasts: torch's settings and signals."""

import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress

import torch


@contextmanager
def torch_settings(threads: int, bfloat16: bool) -> Iterator[None]:
    """Set torch's number of threads and its precision of float32 products, and restore both.

    With `bfloat16`, the factors of float32 products are rounded to it and summed in float32. With
    many actions that saves an eighth of an update. Without it products are exact to float32.
    """
    with ExitStack() as restored:
        restored.callback(torch.set_num_threads, torch.get_num_threads())
        torch.set_num_threads(threads)
        products = getattr(torch.backends.mkldnn, "matmul", None)
        if products is None:  # torch before 2.9 has one setting for all devices
            before = torch.get_float32_matmul_precision()
            restored.callback(torch.set_float32_matmul_precision, before)
            torch.set_float32_matmul_precision("medium" if bfloat16 else "highest")
        else:
            restored.callback(setattr, products, "fp32_precision", products.fp32_precision)
            products.fp32_precision = "bf16" if bfloat16 else "ieee"
        yield


@contextmanager
def stop_signals(stop: Callable[[int], None]) -> Iterator[None]:
    """Handle SIGINT and SIGTERM by `stop(number)`, and restore the handlers there were."""
    with ExitStack() as restored:
        with suppress(ValueError):  # outside the main thread Python allows no handlers
            for number in (signal.SIGINT, signal.SIGTERM):
                before = signal.signal(number, lambda number, frame: stop(number))
                restored.callback(signal.signal, number, before)
        yield
