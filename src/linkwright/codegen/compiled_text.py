"""Machine code of a function that comes as LLVM's text."""

from __future__ import annotations

from linkwright.codegen import cache
from linkwright.codegen.machine import Loaded, host, object_code

LEVEL = 3  # of code generation; the text is optimised already


class CompiledText:
    """A function given as LLVM's text; its `address` is valid while this object lives."""

    def __init__(self, text: str, symbol: str) -> None:
        key = cache.text_key(host(), LEVEL, text) if cache.in_use() else ""
        kept = cache.load(key) if key else None
        code = object_code(text, LEVEL) if kept is None else kept[1][0]
        if key and kept is None:
            cache.store(key, {}, [code])
        self._loaded = Loaded(code)
        self.address = self._loaded.address(symbol)
