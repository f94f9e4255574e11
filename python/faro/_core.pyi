# The extension; what it holds is typed where it is public, in __init__.pyi.
from typing import Any

def __getattr__(name: str) -> Any: ...
