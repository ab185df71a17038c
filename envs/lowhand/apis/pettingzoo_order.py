"""Checks of the order of calls, as in PettingZoo's OrderEnforcingWrapper."""

from typing import Any

from pettingzoo.utils.env import AECIterable, AECIterator


def from_reset_on() -> Any:
    """A class attribute whose access before `reset` raises an error that says so."""
    return _FromResetOn()


class _FromResetOn:
    """A descriptor for an attribute that `reset` sets on the instance.

    It has no `__set__`, so that the attribute of the instance takes precedence. A `__getattr__`
    would do the same, but slow every attribute of the environment down: 1 µs a step.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: object, owner: type) -> Any:
        raise AttributeError(f"{self.name} cannot be accessed before reset")


class Turns(AECIterable[str, Any, Any]):
    """The result of `agent_iter`: the agent of each turn."""

    def __iter__(self) -> "_TurnIterator":
        return _TurnIterator(self.env, self.max_iter)


class _TurnIterator(AECIterator[str, Any, Any]):
    """Refuses a loop that never steps, as PettingZoo's OrderEnforcingWrapper does."""

    env: Any

    def __next__(self) -> str:
        agent = super().__next__()
        if not self.env._has_updated:
            raise AssertionError("need to call step() or reset() in a loop over `agent_iter`")
        self.env._has_updated = False
        return agent
