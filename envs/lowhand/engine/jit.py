"""`njit` for this package: compiled once, cached on disk, and never stale.

Numba's own cache looks only at the file a function stands in, so that after an edit of a
function in another file the callers go on running the old machine code. Here the stamp of
every cached function is a hash over all sources of the packages that it may call into. What is
compiled here for the rules of another package's game is kept under a hash of that package too.
"""

import functools
import hashlib
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core.caching import FunctionCache

F = TypeVar("F", bound=Callable[..., Any])

_LOWHAND = Path(__file__).parents[1]

_elsewhere: dict[Any, Path] = {}  # the folders of other packages' rules, by their Numba type


@functools.cache
def source_stamp(*packages: Path) -> str:
    """Hash of the names and texts of all Python sources below the folders `packages`."""
    digest = hashlib.sha256()
    for package in packages:
        for path in sorted(package.rglob("*.py")):
            digest.update(str(path.relative_to(package)).encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


class _PackageCache(FunctionCache):
    """Numba's cache of one function, made stale by an edit anywhere in the packages."""

    def __init__(self, py_func: Callable[..., Any]) -> None:
        super().__init__(py_func)
        home = Path(py_func.__code__.co_filename).parent
        packages = {_LOWHAND} if home.is_relative_to(_LOWHAND) else {_LOWHAND, home}
        self._cache_file._source_stamp = source_stamp(*sorted(packages))

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        """Numba's key, and the stamps of other packages whose rules this code is compiled for."""
        records = (getattr(argument, "dtype", argument) for argument in getattr(sig, "args", sig))
        stamps = [source_stamp(_elsewhere[record]) for record in records if record in _elsewhere]
        return (*super()._index_key(sig, codegen), *stamps)


def note_rules(numba_type: Any, function: Callable[..., Any]) -> None:
    """Let what is compiled for the rules of `numba_type` go stale with the package of `function`.

    Numba picks a game's functions by that type when it compiles a kernel of ours, whose own
    sources say nothing of them.
    """
    code = inspect.unwrap(getattr(function, "py_func", function)).__code__
    home = Path(code.co_filename).parent
    if not home.is_relative_to(_LOWHAND):
        _elsewhere[numba_type] = home


def njit(function: F) -> F:
    """Compile `function` when first called and keep the machine code for later processes.

    Only for functions at module level: Numba finds no others in its cache. It holds no lock
    (`nogil`), does not reorder sums (no `fastmath`), and divides like NumPy.
    """
    if getattr(numba.config, "DISABLE_JIT", False):
        # Random words overflow on purpose, and NumPy's scalars would warn of it.
        return np.errstate(over="ignore")(function)
    dispatcher: Any = numba.njit(nogil=True, error_model="numpy")(function)
    dispatcher._cache = _PackageCache(function)
    return cast(F, dispatcher)
