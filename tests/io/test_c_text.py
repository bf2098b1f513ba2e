"""The C text around a model moves numbers from place to place and computes nothing: the run is the simulation's."""

import re

from linkwright.io import write_c_run
from linkwright.io.fmu.binaries import AROUND, C_TEXT, interface


def plain(text: str) -> str:
    """Without comments and strings."""
    return re.sub(r'"[^"]*"', "", re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL))


TEXTS = {file: (C_TEXT / file).read_text(encoding="utf-8") for file in AROUND}
TEXTS |= {f"fmi{version}.c": interface(version) for version in (2, 3)}
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


def exported(text: str) -> dict[str, str]:
    """Names of exported functions, without the version, and what they do."""
    found = re.findall(r"^EXPORT [^\n]*?\bfmi[23](\w+)\(([^\n]*}$|.*?^}$)", text, re.DOTALL | re.MULTILINE)
    return dict(found)


def test_both_versions_have_what_is_one():
    """Every function of the common text is in both versions once, under the names of the version."""
    common = exported((C_TEXT / "interface.c").read_text(encoding="utf-8"))
    two, three = interface(2), interface(3)
    assert len(common) == 20 and common.keys() <= exported(three).keys()
    assert "fmi3" not in two and "fmi2" not in three and "#include \"interface.c\"" not in two + three
    for name in ("GetFMUstate", "DeSerializeFMUstate", "GetDerivatives", "SetTime", "CompletedIntegratorStep"):
        assert two.count(f" fmi2{name}(") == 1, name
    assert exported(two)["SetTime"] == common["SetTime"].replace("fmi3Instance", "fmi2Component")
