"""Ranges of joints: where they start, and where those that follow another would touch first."""

from __future__ import annotations

from collections.abc import Mapping

from ..markup import Element


def start_of(joint: Element, elements: Mapping[str, Element], depth: int = 0) -> float:
    """Where a joint starts: at zero, or midway where zero lies outside its limits; a follower where it is led."""
    mimic = joint.first("mimic")
    if mimic is not None and mimic.get("joint") in elements and depth < len(elements):
        led = start_of(elements[mimic.get("joint")], elements, depth + 1)
        return mimic.number("multiplier", 1.0) * led + mimic.number("offset", 0.0)
    limit = joint.first("limit")
    if limit is None or joint.get("type") not in ("revolute", "prismatic"):
        return 0.0
    low, high = limit.number("lower", 0.0), limit.number("upper", 0.0)
    return 0.0 if low <= 0 <= high else (low + high) / 2


def leader_of(joint: Element, elements: Mapping[str, Element]) -> Element | None:
    """The joint that another follows, where both move."""
    mimic = joint.first("mimic")
    leader = elements.get(mimic.get("joint")) if mimic is not None else None
    return leader if leader is not None and leader.get("type") in ("revolute", "prismatic") else None


def first_leader(joint: Element, elements: Mapping[str, Element]) -> Element:
    """The joint that leads another, itself or through those between; itself where it follows nobody."""
    for _ in elements:
        leader = leader_of(joint, elements)
        if leader is None:
            break
        joint = leader
    return joint


def with_followers(joint: Element, elements: Mapping[str, Element], low: float, high: float) -> tuple[float, float]:
    """The range of a joint that keeps its followers in theirs: two stops that touch at once are one too many."""
    for other in elements.values():
        if leader_of(other, elements) is not joint or other.first("limit") is None:
            continue
        mimic, limit = other.first("mimic"), other.first("limit")
        ratio, offset = mimic.number("multiplier", 1.0), mimic.number("offset", 0.0)
        ends = [limit.number(key, 0.0) for key in ("lower", "upper")]
        if ratio and ends[0] < ends[1]:
            reached = sorted((end - offset) / ratio for end in ends)
            if max(low, reached[0]) < min(high, reached[1]):
                low, high = max(low, reached[0]), min(high, reached[1])
    return low, high
