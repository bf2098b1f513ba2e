"""How many files name each kind of event: what someone has to read who changes one.

A file counts where its code has a name with the word in it; comments and docstrings are left aside.  Not counted are
files that name kinds for users: the library, formats, the command line.  Rows say of themselves what differs between
friction, stops and locks (`mechanism.rows`); what else asks them by property names none.
"""

from __future__ import annotations

import io
import re
import tokenize
from pathlib import Path

import linkwright

ROOT = Path(linkwright.__file__).parent
NOT_COUNTED = ("library", "io", "cli.py")
#: kind of event → words that name it, as parts of names; `stop` and `lock` alone are also ends of runs, and threads'
KINDS = {"stop": r"(^|_)stops($|_)", "contact": r"(^|_)contacts?($|_)", "friction": r"(^|_)frictions?($|_)",
         "lock": r"(^|_)locks($|_)", "action": r"(^|_)(actions?|whens?)($|_)", "relation": r"(^|_)relations?($|_)"}


def names(path: Path) -> set[str]:
    """Names in the code of a file, in lower case, CamelCase taken apart."""
    tokens = tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline)
    found = (token.string for token in tokens if token.type == tokenize.NAME)
    return {re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower() for name in found}


def counted() -> dict[str, dict[str, int]]:
    """Files by kind of event and room."""
    out: dict[str, dict[str, int]] = {kind: {} for kind in KINDS}
    for path in sorted(ROOT.rglob("*.py")):
        room, found = path.relative_to(ROOT).parts[0], names(path)
        for kind, pattern in KINDS.items():
            if room not in NOT_COUNTED and any(re.search(pattern, name) for name in found):
                out[kind][room] = out[kind].get(room, 0) + 1
    return out


def event_files() -> None:
    """One line per kind."""
    print("\nFiles whose code names a kind of event, beside those of the library and of formats")
    for kind, rooms in counted().items():
        where = ", ".join(f"{room} {count}" for room, count in sorted(rooms.items(), key=lambda item: -item[1]))
        print(f"{kind:10s}{sum(rooms.values()):4d}   {where}")
