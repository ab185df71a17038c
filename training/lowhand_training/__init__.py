"""Self-play training, evaluation and the command line of lowhand.

The names in `__init__.pyi` are the public Python API. They are imported when they are first used,
so that `import lowhand_training` is quick and needs no torch. Nothing prints unless
`progress=True`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
