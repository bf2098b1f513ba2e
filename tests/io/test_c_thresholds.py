"""C and FMUs decide by the numbers of the simulation: none of them stands in the C text itself."""

import re

from linkwright.integrate import tolerances
from linkwright.io.fmu import model_text
from linkwright.io.fmu.binaries import AROUND, C_TEXT

#: formulas rather than thresholds: halves, quarters, tenths, unity, the second estimate of the pair of order 8, and
#: the narrowing of a root
PLAIN = {"0.0", "0.5", "0.25", "1.0", "2.0", "10.0", "0.75", "0.01", "1e-15"}


def test_the_header_has_the_numbers_of_the_steppers():
    told = dict(line.split()[1:] for line in model_text.constants().splitlines())
    for name in model_text.THRESHOLDS:
        assert float(told[name]) == getattr(tolerances, name), name
    assert told["BENT"] == "0.1" and told["LEAST_ERROR"] == "1e-12"


def test_the_c_text_has_none_of_its_own():
    for file in (*AROUND, "fmi2.c", "fmi3.c"):
        text = re.sub(r"/\*.*?\*/", "", (C_TEXT / file).read_text(encoding="utf-8"), flags=re.DOTALL)
        text = re.sub(r'"[^"]*"', "", text)
        found = set(re.findall(r"(?<![\w.])\d+(?:\.\d+(?:e[-+]?\d+)?|e[-+]?\d+)", text))
        assert found <= PLAIN, (file, found - PLAIN)
        defined = set(re.findall(r"#define (\w+) \d+\.?\d*(?:e-?\d+)?\n", text))
        assert defined.isdisjoint(model_text.THRESHOLDS)
