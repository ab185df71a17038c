"""The order that PettingZoo's calls must keep, checked as its OrderEnforcingWrapper checks it."""

from typing import Any

from pettingzoo.utils.env import AECIterable, AECIterator


def from_reset_on() -> Any:
    """In a class body: the attribute exists from `reset` on, and before that says so."""
    return _FromResetOn()


class _FromResetOn:
    """Stands in the class for an attribute that `reset` makes, to say what is missing before.

    It has no `__set__`, so that the attribute of the instance goes first. (A `__getattr__`
    would do the same and make every attribute of the environment slower: 1 µs a step.)
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: object, owner: type) -> Any:
        raise AttributeError(f"{self.name} cannot be accessed before reset")


class Turns(AECIterable[str, Any, Any]):
    """What `agent_iter` gives: each turn's agent, as long as turns are played."""

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
