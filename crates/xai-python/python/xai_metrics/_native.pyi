"""The kernels, which only this package calls."""

from typing import Any

__version__: str

def __getattr__(name: str) -> Any: ...
