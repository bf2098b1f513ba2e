"""What became of a file: kept, approximated, ignored, each with its line."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import ModelError
from .markup import Element
from .tolerances import SHOWN

#: elements that only say more of the one they are in; so do all that begin with a small letter in OpenSim's files
DETAILS = ("robot", "mujoco", "origin", "mass", "inertia", "axis", "parent", "child", "color", "geometry", "material",
           "box", "cylinder", "sphere", "mesh", "default", "compiler", "option", "asset", "worldbody",
           "OpenSimDocument", "Model", "Ground", "BodySet", "JointSet", "ConstraintSet", "ForceSet", "ControllerSet",
           "ContactGeometrySet", "PhysicalOffsetFrame", "SpatialTransform", "TransformAxis", "Coordinate")


@dataclass(frozen=True)
class Note:
    """What happened to one element or attribute."""

    file: str
    line: int
    element: str
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.element}: {self.text}".replace(" : ", ": ", 1)


@dataclass
class ImportReport:
    """The result of reading a file, beside the model: `m.import_report`.

    `kept` counts the elements by tag that are in the model as the file says; `approximated` are in it otherwise than
    the file says, `ignored` not at all; `remarks` are on what is kept but looks like a mistake.  `beside` counts
    what is no part of a mechanism: lights, cameras, settings of another program's solver.  `names` says by tag what a
    thing of the file is called in the model; `data` holds what the model has no place for, such as limits of drives.
    """

    file: str
    kept: dict[str, int] = field(default_factory=dict)
    approximated: list[Note] = field(default_factory=list)
    ignored: list[Note] = field(default_factory=list)
    remarks: list[Note] = field(default_factory=list)
    beside: dict[str, int] = field(default_factory=dict)
    names: dict[str, dict[str, str]] = field(default_factory=dict)
    data: dict[str, object] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Whether everything in the file is in the model."""
        return not self.approximated and not self.ignored

    def approximate(self, element: Element, text: str) -> None:
        """Note that an element is in the model otherwise than the file says."""
        self.approximated.append(note(element, text))

    def remark(self, element: Element, text: str) -> None:
        """Note what is kept but looks like a mistake."""
        self.remarks.append(note(element, text))

    def remark_file(self, text: str) -> None:
        """Note what concerns the whole file."""
        self.remarks.append(Note(Path(self.file).name, 1, "", text))

    def approximate_file(self, text: str) -> None:
        """Note what is otherwise than the file says in many places."""
        self.approximated.append(Note(Path(self.file).name, 1, "", text))

    def pass_over(self, element: Element) -> None:
        """Count what is no part of a mechanism."""
        element.leave()
        self.beside[element.tag] = self.beside.get(element.tag, 0) + 1

    def ignore(self, element: Element, text: str) -> None:
        """Note that an element is not in the model; what is inside it is settled thereby."""
        element.leave()
        self.ignored.append(note(element, text))

    def close(self, *roots: Element) -> None:
        """Count what was read, and note as ignored what nobody asked for."""
        kept: Counter[str] = Counter()
        for root in roots:
            for element, attribute in root.unread():
                said = f"the attribute {attribute} is not used" if attribute else "not used"
                self.ignored.append(note(element, said))
            _count(root, kept)
        self.kept = dict(kept)
        self.ignored.sort(key=lambda entry: (entry.file, entry.line))

    def refuse_losses(self) -> None:
        """With strict=True whatever is not kept as it is makes the file unreadable."""
        if not self.complete:
            lost = [*self.approximated, *self.ignored]
            lines = "\n".join(f"  {entry}" for entry in lost[:SHOWN])
            more = f"\n  … and {len(lost) - SHOWN} more" if len(lost) > SHOWN else ""
            raise ModelError(f"{self.file}: not everything in it can be kept (strict=True):\n{lines}{more}")

    def __str__(self) -> str:
        skeleton = "OpenSimDocument" in self.kept
        told = ", ".join(f"{n} {tag}" for tag, n in self.kept.items()
                         if tag not in DETAILS and not (skeleton and tag[:1].islower()))
        lines = [f"{self.file}: kept {told or 'nothing'}"]
        for title, entries in (("approximated", self.approximated), ("ignored", self.ignored),
                               ("remarks", self.remarks)):
            if entries:
                lines.append(f"{title}:")
                lines += [f"  {entry}" for entry in entries[:SHOWN]]
                if len(entries) > SHOWN:
                    lines.append(f"  … and {len(entries) - SHOWN} more")
        return "\n".join(lines)


def note(element: Element, text: str) -> Note:
    """A note about an element."""
    return Note(Path(element.file).name, element.line, repr(element), text)


def _count(element: Element, kept: Counter[str]) -> None:
    if element.seen and not element.left:
        kept[element.tag] += 1
        for child in element.children:
            _count(child, kept)
