"""Things put together step by step."""

from __future__ import annotations


class Joined:
    """Things put together step by step (union–find)."""

    def __init__(self) -> None:
        self._parent: dict[int, int] = {}

    def find(self, key: int) -> int:
        """What a thing and all that it was joined with are known by."""
        path = []
        while self._parent.get(key, key) != key:
            path.append(key)
            key = self._parent[key]
        self._parent |= dict.fromkeys(path, key)
        return key

    def join(self, a: int, b: int) -> bool:
        """Put two things together; whether they were apart."""
        a, b = self.find(a), self.find(b)
        self._parent[a] = b
        return a != b
