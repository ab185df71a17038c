"""Libraries that the plain install leaves out, imported where they are needed."""

from importlib import import_module
from typing import Any


def need(module: str, extra: str) -> Any:
    """Returns a module that an extra of lowhand installs.

    Raises:
        ValueError: it is not installed.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if (error.name or "").partition(".")[0] != package:
            raise
        raise ValueError(
            f"this needs {package}, which the plain install leaves out: install the extra with"
            f" `pip install 'lowhand[{extra}]'`."
        ) from error
