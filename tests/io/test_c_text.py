"""The C text around a model moves numbers from place to place and computes nothing: the run is the simulation's."""

import re

from linkwright.io import write_c_run
from linkwright.io.fmu.binaries import AROUND, C_TEXT


def plain(text: str) -> str:
    """Without comments and strings."""
    return re.sub(r'"[^"]*"', "", re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL))


TEXTS = {file: (C_TEXT / file).read_text(encoding="utf-8") for file in (*AROUND, "fmi2.c", "fmi3.c")}
TEXTS |= {"write_c_run": write_c_run.SOURCE}


def test_it_has_no_thresholds():
    for file, text in TEXTS.items():
        assert set(re.findall(r"(?<![\w.])\d+(?:\.\d+(?:e[-+]?\d+)?|e[-+]?\d+)", plain(text))) <= {"0.0", "1.0"}, file


def test_it_has_no_arithmetic():
    """But for places, and a difference that tells whether a number is finite."""
    for file, text in TEXTS.items():
        products = re.findall(r"\w\]? [*/] \w+", re.sub(r"const \w+ \*|\w+ \*\w+[,);=\[ ]", "", plain(text)))
        assert all("N_IN" in found for found in products), (file, products)
        sums = re.findall(r"[\w\]]+ [-+] [\w\[\]]+", re.sub(r"value - value == 0.0|from \+ length", "", plain(text)))
        places = r"[AN]T?_\w+ \+|.*lane \+|FIRST_\w+ \+|DECISIVE \+|N_X \+"
        assert all(re.match(places, found) for found in sums), (file, sums)
