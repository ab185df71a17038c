"""Both games for OpenSpiel: `import lowhand.apis.openspiel` registers them with `pyspiel`.

`lowhand_no_thanks` and `lowhand_least_score` take the options of the game as parameters (see
`lowhand.apis.openspiel.parameters`) and `reward`. They play by the same rules as every other
interface here, with each chance event as a node of its own. `agent_policy` and `AgentBot` let
lowhand's agents play in OpenSpiel. Needs the extra `openspiel`.
"""

try:
    import pyspiel  # type: ignore[import-not-found,import-untyped,unused-ignore]  # noqa: F401
except ImportError as error:
    raise ImportError(
        "lowhand.apis.openspiel needs OpenSpiel: install it with"
        ' `pip install "lowhand[openspiel]"`.'
    ) from error

from lowhand.apis.openspiel.agents import AgentBot, AgentPolicy, agent_policy
from lowhand.apis.openspiel.games import CardGame, CardState, LeastScore, NoThanks, register

register()

__all__ = [
    "AgentBot",
    "AgentPolicy",
    "CardGame",
    "CardState",
    "LeastScore",
    "NoThanks",
    "agent_policy",
]
