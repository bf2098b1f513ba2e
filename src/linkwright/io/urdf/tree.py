"""Links hang on one another by joints: one base, one way to every other link."""

from __future__ import annotations

from collections.abc import Iterable

from ..markup import Element


def by_name(elements: Iterable[Element]) -> dict[str, Element]:
    """Elements by their names, which must differ."""
    out: dict[str, Element] = {}
    for element in elements:
        name = element.need("name")
        if name in out:
            raise element.error(f"the name {name!r} is taken since line {out[name].line}.")
        out[name] = element
    return out


def base_of(root: Element, links: dict[str, Element], joints: dict[str, Element]) -> str:
    """The link that is nobody's child; every other one hangs on it by exactly one way."""
    if not links:
        raise root.error("a robot needs at least one <link>.")
    above: dict[str, Element] = {}
    for joint in joints.values():
        for end in ("parent", "child"):
            name = joint.the(end).need("link")
            if name not in links:
                raise joint.the(end).error(f"there is no link {name!r}.")
        child = joint.the("child").need("link")
        if child in above:
            raise joint.error(f"the link {child!r} hangs on the joint {above[child].get('name')!r} already; links "
                              "form a tree.")
        above[child] = joint
    bases = [name for name in links if name not in above]
    if len(bases) != 1:
        found = ", ".join(bases) if bases else "none, the joints go round in a ring"
        raise root.error(f"one link must be the base of all others; found {found}.")
    _refuse_rings(above, bases[0], links)
    return bases[0]


def fixed_to(base: str, joints: dict[str, Element]) -> set[str]:
    """The links that fixed joints hold to a link, itself included."""
    held, before = {base}, 0
    while len(held) > before:
        before = len(held)
        held |= {joint.the("child").need("link") for joint in joints.values()
                 if joint.get("type") == "fixed" and joint.the("parent").need("link") in held}
    return held


def carries_nothing(massive: set[str], joints: dict[str, Element]) -> set[str]:
    """The joints with no mass beyond them; `massive` are the links that have mass themselves."""
    carrying, before = set(massive), -1
    while len(carrying) > before:
        before = len(carrying)
        carrying |= {joint.the("parent").need("link") for joint in joints.values()
                     if joint.the("child").need("link") in carrying}
    return {name for name, joint in joints.items() if joint.the("child").need("link") not in carrying}


def _refuse_rings(above: dict[str, Element], base: str, links: dict[str, Element]) -> None:
    known = {base}
    for name in links:
        path = []
        while name not in known and name not in path:
            path.append(name)
            name = above[name].the("parent").need("link")
        if name not in known:
            raise above[name].error(f"the joints above the link {name!r} go round in a ring.")
        known.update(path)
