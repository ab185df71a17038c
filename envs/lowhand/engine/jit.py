"""`njit` for this package and for games of yours: compiled once, cached on disk, never stale.

Numba's own cache looks only at the file that holds a function, so that after an edit of a
function in another file the callers go on running the old machine code. Here the stamp of a
cached function covers all that its machine code depends on, and nothing else:

- its bytecode, without docstring and line numbers, and its default arguments,
- the value of each global that it reads, a constant of another module included,
- the same of each function that it can call. A rules function (`lowhand.engine.game`) counts
  with the implementations for the record types of the arguments: an edit of one game does not
  recompile another.

A function that uses a global of a kind that is not known here is compiled in each process.
"""

import enum
import functools
import hashlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import types
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.dispatcher import Dispatcher

F = TypeVar("F", bound=Callable[..., Any])

_FORMAT = "lowhand 1"
"""Marks the index files of this cache: a change of what is stored needs another."""

_LIBRARIES = {"builtins", "llvmlite", "numba", "numpy", *sys.stdlib_module_names}
"""Top-level packages whose functions count by name: Numba's version is part of its index."""

_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...), range, slice, types.Type)


def _is_library(module: str | None) -> bool:
    return (module or "builtins").partition(".")[0] in _LIBRARIES


def _name(value: Any) -> str:
    module = getattr(value, "__module__", "")
    return f"{module}.{getattr(value, '__qualname__', getattr(value, '__name__', ''))}"


def _describe(value: Any, uses: list[Any]) -> str:
    """Return a text that changes with `value`; add the functions in it to `uses`."""
    if isinstance(value, Dispatcher):
        options = sorted(value.targetoptions.items())
        return f"{_describe(value.py_func, uses)} {options}"
    if isinstance(value, FunctionType) or hasattr(value, "implementations"):
        if not _is_library(value.__module__):
            uses.append(value)
        return _name(value)
    if isinstance(value, (type, np.ufunc, BuiltinFunctionType)):
        members = value if isinstance(value, enum.EnumMeta) else getattr(value, "_fields", ())
        return f"{_name(value)} {[repr(member) for member in members]}"
    if isinstance(value, (np.ndarray, np.generic)):
        content = hashlib.sha256(value.tobytes()).hexdigest()
        return f"{_describe(value.dtype, uses)} {value.shape} {content}"
    if isinstance(value, (*_PLAIN, np.dtype, enum.Enum)):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, (tuple, list)):
        return f"{_name(type(value))} {[_describe(entry, uses) for entry in value]}"
    if isinstance(value, (set, frozenset)):
        return f"set {sorted(_describe(entry, uses) for entry in value)}"
    if isinstance(value, CodeType):
        return _code_text(value, value.co_consts, uses)
    return f"unknown {os.urandom(16).hex()}"


def _code_text(code: CodeType, constants: tuple[Any, ...], uses: list[Any]) -> str:
    """Return the text of bytecode, apart from file and line numbers."""
    described = [_describe(constant, uses) for constant in constants]
    signature = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    return f"{code.co_code.hex()} {code.co_exceptiontable.hex()} {signature} {names} {described}"


def _names_in(code: CodeType) -> set[str]:
    """Return the names of globals and attributes that `code` and the functions in it use."""
    inner = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return set(code.co_names).union(*map(_names_in, inner))


@functools.cache
def _read(function: FunctionType) -> tuple[str, tuple[Any, ...]]:
    """Return a text of all that `function` alone depends on, and the functions it can call."""
    code, uses = function.__code__, list[Any]()
    has_docstring = function.__doc__ is not None and code.co_consts[0] == function.__doc__
    parts = [
        _name(function),
        _code_text(code, code.co_consts[1:] if has_docstring else code.co_consts, uses),
        _describe(function.__defaults__, uses),
        _describe(tuple((function.__kwdefaults__ or {}).items()), uses),
        _describe(tuple(cell.cell_contents for cell in function.__closure__ or ()), uses),
    ]
    parts += _globals_text(function.__globals__, _names_in(code), uses, set())
    return "\n".join(parts), tuple(uses)


def _globals_text(
    namespace: dict[str, Any], names: set[str], uses: list[Any], seen: set[str]
) -> Iterator[str]:
    """Yield a text for each of `names` in `namespace`, and in the modules among them."""
    for name in sorted(names & namespace.keys()):
        value = namespace[name]
        if not isinstance(value, ModuleType):
            yield f"{name} = {_describe(value, uses)}"
        elif not _is_library(value.__name__) and value.__name__ not in seen:
            seen.add(value.__name__)
            yield f"{name}: {value.__name__}"
            yield from _globals_text(vars(value), names, uses, seen)


def _records(numba_types: Iterable[Any]) -> Iterator[Any]:
    """Yield the types of entries of arrays, in tuples too, and of other arguments."""
    for numba_type in numba_types:
        entries = getattr(numba_type, "types", None)  # of a tuple
        if entries is None:
            yield getattr(numba_type, "dtype", numba_type)
        else:
            yield from _records(entries)


def stamp(function: Callable[..., Any], argument_types: Iterable[Any]) -> str:
    """Return a hash of all that the machine code of `function` depends on.

    Args:
        function: a function, compiled or not.
        argument_types: Numba types, which choose the implementations of rules functions.
    """
    records = set(_records(argument_types))
    pieces: dict[Any, str] = {}
    waiting: list[Any] = [getattr(function, "py_func", function)]
    while waiting:
        current = waiting.pop()
        if current in pieces:
            continue
        # A rules function, or one that is as it is for all types.
        of_type = getattr(current, "implementations", None)
        if of_type is None:
            pieces[current], uses = _read(current)
        else:
            uses = tuple(of_type[record] for record in records if record in of_type)
            default = getattr(current, "default", None)
            uses = uses or ((default,) if default else tuple(of_type.values()))
            pieces[current] = f"{_name(current)} {sorted(map(_name, uses))}"
        waiting += uses
    return hashlib.sha256("\n\n".join(sorted(pieces.values())).encode()).hexdigest()


class _CacheFile(IndexDataCacheFile):
    """Numba's files of one function, with one entry for each signature: the latest stamp's."""

    def _load_index(self) -> Any:
        try:
            return super()._load_index()
        except (AttributeError, ImportError):  # a class in a signature has another name now
            return {}

    def save(self, key: tuple[Any, ...], data: Any) -> None:
        super().save(key[:-1], (key[-1], data))

    def load(self, key: tuple[Any, ...]) -> Any:
        saved_stamp, data = super().load(key[:-1]) or (None, None)
        return data if saved_stamp == key[-1] else None


class _StampedCache(FunctionCache):
    """Numba's cache of one function, with our stamp as part of the key."""

    def __init__(self, py_func: Callable[..., Any]) -> None:
        super().__init__(py_func)
        # Numba puts the line number into the names of files, so that a comment above would count.
        line = f"-{inspect.unwrap(py_func).__code__.co_firstlineno}."
        base = self._impl.filename_base.replace(line, "-lowhand.")
        self._cache_file = _CacheFile(self._cache_path, base, _FORMAT)

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        return (sig, codegen.magic_tuple(), stamp(self._py_func, getattr(sig, "args", sig)))


@functools.cache
def _spare_scipy() -> None:
    """Keep Numba from importing SciPy with its first function: that takes a third of a second.

    It only asks whether `np.dot` could be compiled; what does compile it imports SciPy then.
    """
    from numba.np import linalg

    checked = linalg.ensure_blas
    if importlib.util.find_spec("scipy") is not None:
        linalg.ensure_blas = lambda: None
    importlib.import_module("numba.np.arraymath")
    linalg.ensure_blas = checked


class _Cache:
    """The cache of one function, made when it is first used, since that touches the disk."""

    def __init__(self, py_func: Callable[..., Any]) -> None:
        self._py_func = py_func

    @functools.cached_property
    def _stamped(self) -> _StampedCache:
        _spare_scipy()
        return _StampedCache(self._py_func)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stamped, name)


def _wide_calls(find: Callable[..., Any]) -> Callable[..., Any]:
    """How compiled code finds the compiled form of a function: one for all sizes of integers.

    Numba would compile it again for each constant and for each of int8 to int32, though all
    arithmetic on those is in int64.
    """

    def find_wide(args: Iterable[Any], kws: dict[str, Any]) -> Any:
        return find(tuple(map(_widened, args)), {name: _widened(kws[name]) for name in kws})

    return find_wide


def _widened(numba_type: Any) -> Any:
    plain = types.unliteral(numba_type)
    return types.int64 if plain in (types.int8, types.int16, types.int32) else plain


def njit(function: F) -> F:
    """Compile `function` when it is first called and keep the machine code for later processes.

    The cache notices each edit of the function and of all that it calls or reads, and only
    those. Like Numba, it takes globals as constants. Only functions at module level are cached.
    Compiled code does not hold the interpreter's lock (`nogil`), does not reorder sums (no
    `fastmath`), and divides like NumPy.
    """
    if getattr(numba.config, "DISABLE_JIT", False):
        # Random words overflow on purpose, and NumPy's scalars would warn of it.
        return np.errstate(over="ignore")(function)
    dispatcher: Any = numba.njit(nogil=True, error_model="numpy")(function)
    dispatcher._cache = _Cache(function)
    # An attribute, for calls from compiled code alone: those from Python give no such types.
    dispatcher.get_call_template = _wide_calls(dispatcher.get_call_template)
    return cast(F, dispatcher)
