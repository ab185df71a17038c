"""No Thanks! and Least Score as reinforcement-learning environments."""

import lazy_loader

from lowhand.games import VERSIONS, register_environments

__version__ = "0.1.0"

# By `__init__.pyi` and when first used: `import lowhand` waits neither for Numba nor for the games.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

for _name, _version in VERSIONS.items():
    register_environments(_name, _version)
