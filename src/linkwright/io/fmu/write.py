"""The archive of an FMU."""

from __future__ import annotations

import json
import re
import uuid
import zipfile
from collections.abc import Sequence
from pathlib import Path

import linkwright as lw

from ...codegen import TARGETS
from ...errors import ModelError
from . import binaries, documentation, model_text
from .contents import Contents
from .model_description import build_description, description

#: what the tokens of FMUs are derived from
NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "https://fmi-standard.org")
#: all files in an archive have this time, so that the same model gives the same file
TIME = (1980, 1, 1, 0, 0, 0)


def write_fmu(model: lw.Model, path: Path, *, inputs: Sequence[str] | None = None,
              outputs: Sequence[str] | None = None, tunable: Sequence[str] = (), fmi: int = 3, accuracy: float = 1e-8,
              formulation: str | None = None, platforms: Sequence[str] | None = None, method: str = "auto",
              fixed_step: float | None = None) -> list[str]:
    """Write an FMU for model exchange and co-simulation, of FMI 3.0 or (`fmi=2`) 2.0.

    `inputs` are names of inputs and of signals left as numbers (default: all), `outputs` names of variables (default:
    those of m.output), `tunable` parameters that stay parameters; `accuracy` is that of co-simulation, unless a tool
    asks for another one, `method` and `fixed_step` are those of `simulate`; `platforms` are the systems that it holds
    libraries for (default: all of codegen.TARGETS).
    """
    if fmi not in (2, 3):
        raise ModelError(f"fmi = {fmi!r}: FMUs are written for FMI 3.0 (fmi=3) or 2.0 (fmi=2).")
    chosen = list(TARGETS) if platforms is None else list(platforms)
    for platform in chosen:
        if platform not in TARGETS:
            raise ModelError(f"platforms: {platform!r} is none of {', '.join(TARGETS)}.")
    contents = Contents(model, inputs, outputs, tunable, accuracy, formulation, method=method, fixed_step=fixed_step)
    name = re.sub(r"^(?=\d)", "m", re.sub(r"\W", "_", path.stem, flags=re.ASCII))
    code = contents.code
    source = code.c()
    token = "{" + str(uuid.uuid5(NAMESPACE, model_text.header(contents, code, name, "") + source)) + "}"
    header = model_text.header(contents, code, name, token)
    files: dict[str, bytes] = {"modelDescription.xml": description(contents, name, token, fmi)}
    files |= binaries.libraries(code, header, name, fmi, chosen)
    files |= {"sources/model.h": header.encode(), "sources/model.c": source.encode()}
    files |= {f"sources/{own}": (binaries.C_TEXT / own).read_bytes() for own in binaries.AROUND}
    files[f"sources/fmi{fmi}.c"] = binaries.interface(fmi).encode()
    files["resources/run_sources.json"] = json.dumps(code.sources, indent=1).encode()
    if fmi == 3:
        files["sources/buildDescription.xml"] = build_description(name, ["model.c", "fmi3.c"])
    files |= documentation.pages(contents, fmi)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for where, content in files.items():
            entry = zipfile.ZipInfo(where, TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return []
