"""What a run of the tests skipped and why, as a table in Markdown: `python tests/skipped.py report.xml`."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path


def table(report: str) -> str:
    """Of a report in JUnit's XML."""
    cases = list(ET.fromstring(report).iter("testcase"))
    reasons = Counter(skip.get("message", "?") for case in cases for skip in case.findall("skipped"))
    failed = [f"{case.get('classname')}::{case.get('name')}" for case in cases
              if case.find("failure") is not None or case.find("error") is not None]
    lines = [f"{len(cases)} tests, {len(failed)} failed, {reasons.total()} skipped", ""]
    lines += [f"- failed: `{name}`" for name in failed]
    if reasons:
        lines += ["", "| skipped | why |", "|---|---|"]
        lines += [f"| {count} | {' '.join(why.split()).replace('|', '/')} |" for why, count in reasons.most_common()]
    return "\n".join(lines)


if __name__ == "__main__":
    print(table(Path(sys.argv[1]).read_text(encoding="utf-8")))
