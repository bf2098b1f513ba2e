"""modelDescription.xml: what a tool has to know of an FMU, for FMI 3.0 and 2.0."""

from __future__ import annotations

import re
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import linkwright as lw

from .contents import Contents, Variable
from .units import powers

#: names that the convention "structured" allows
STRUCTURED = re.compile(r"(der\()?[A-Za-z_]\w*(\[\d+(,\d+)*\])?(\.[A-Za-z_]\w*(\[\d+(,\d+)*\])?)*\)?")
STOP_TIME = 10.0


def description(contents: Contents, name: str, token: str, version: int) -> bytes:
    """The file for FMI 3.0 (`version` 3) or 2.0 (2)."""
    shown = [v for v in contents.variables if version == 3 or v.role != "indicator"]
    flat = not all(STRUCTURED.fullmatch(v.name) for v in shown)
    root = Element("fmiModelDescription", {
        "fmiVersion": f"{version}.0", "modelName": contents.model.title or name,
        "instantiationToken" if version == 3 else "guid": token,
        "description": (contents.model.__doc__ or "").strip().split("\n")[0] if type(contents.model) is not lw.Model
        else contents.model.title, "generationTool": f"Linkwright {lw.__version__}",
        "variableNamingConvention": "flat" if flat else "structured"})
    if version == 2:
        root.set("numberOfEventIndicators", str(len(contents.witnesses)))
    _interfaces(root, name, version)
    _units(root, shown)
    SubElement(root, "DefaultExperiment", {"startTime": repr(float(contents.state.t)), "stopTime": repr(STOP_TIME),
                                           "tolerance": repr(float(contents.accuracy))})
    variables = SubElement(root, "ModelVariables")
    for reference, variable in enumerate(shown):
        (_variable3 if version == 3 else _variable2)(variables, reference, variable)
    (_structure3 if version == 3 else _structure2)(SubElement(root, "ModelStructure"), contents)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="UTF-8", xml_declaration=True)


def build_description(name: str, sources: list[str]) -> bytes:
    """sources/buildDescription.xml of FMI 3.0: how the sources become a library."""
    root = Element("fmiBuildDescription", {"fmiVersion": "3.0"})
    files = SubElement(SubElement(root, "BuildConfiguration", {"modelIdentifier": name}), "SourceFileSet",
                       {"language": "C99"})
    for source in sources:
        SubElement(files, "SourceFile", {"name": source})
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="UTF-8", xml_declaration=True)


def _interfaces(root: Element, name: str, version: int) -> None:
    state = "FMUState" if version == 3 else "FMUstate"
    common = {"modelIdentifier": name, f"canGetAndSet{state}": "true", f"canSerialize{state}": "true"}
    derivatives = "providesDirectionalDerivatives" if version == 3 else "providesDirectionalDerivative"
    exchange = SubElement(root, "ModelExchange", common | {derivatives: "true"})
    stepped = SubElement(root, "CoSimulation", common | {
        derivatives: "true", "canHandleVariableCommunicationStepSize": "true"})
    if version == 3:
        exchange.set("needsCompletedIntegratorStep", "true")
        return
    for element in (exchange, stepped):
        files = SubElement(element, "SourceFiles")
        for source in ("model.c", "fmi2.c"):
            SubElement(files, "File", {"name": source})


def _units(root: Element, variables: list[Variable]) -> None:
    known = sorted({v.unit for v in variables if v.unit})
    definitions = SubElement(root, "UnitDefinitions") if known else None
    for unit in known:
        assert definitions is not None
        element, found = SubElement(definitions, "Unit", {"name": unit}), powers(unit)
        if found is not None:
            SubElement(element, "BaseUnit", {base: str(power) for base, power in found.items()})


def _attributes(variable: Variable) -> dict[str, str]:
    """Causality, variability and initial, which both versions share."""
    if variable.role == "independent":
        return {"causality": "independent", "variability": "continuous"}
    if variable.role == "input":
        return {"causality": "input", "variability": "continuous"}
    if variable.role == "parameter":
        return {"causality": "parameter", "variability": "fixed", "initial": "exact"}
    initial = "exact" if variable.role == "state" else "calculated"
    causality = "output" if variable.role == "output" or variable.shown else "local"
    return {"causality": causality, "variability": "continuous", "initial": initial}


def _typed(variable: Variable) -> dict[str, str]:
    found = {} if variable.start is None else {"start": repr(variable.start)}
    return found | ({"unit": variable.unit} if variable.unit else {})


def _variable3(parent: Element, reference: int, variable: Variable) -> None:
    element = SubElement(parent, "Float64", {"name": variable.name, "valueReference": str(reference)}
                         | _attributes(variable) | _typed(variable))
    if variable.of is not None:
        element.set("derivative", str(variable.of))


def _variable2(parent: Element, reference: int, variable: Variable) -> None:
    element = SubElement(parent, "ScalarVariable", {"name": variable.name, "valueReference": str(reference)}
                         | _attributes(variable))
    real = SubElement(element, "Real", _typed(variable))
    if variable.of is not None:
        real.set("derivative", str(variable.of + 1))  # variables are counted from 1 here


def _outputs(contents: Contents) -> list[int]:
    return [k for k, v in enumerate(contents.variables) if v.role == "output" or v.shown]


def _structure3(parent: Element, contents: Contents) -> None:
    derivatives, outputs = contents.references("derivative"), _outputs(contents)
    groups = (("Output", outputs), ("ContinuousStateDerivative", derivatives),
              ("InitialUnknown", sorted([*derivatives, *contents.references("output")])),
              ("EventIndicator", contents.references("indicator")))
    for kind, references in groups:
        for reference in references:
            SubElement(parent, kind, {"valueReference": str(reference)})


def _structure2(parent: Element, contents: Contents) -> None:
    derivatives, outputs = contents.references("derivative"), _outputs(contents)
    groups = (("Outputs", outputs), ("Derivatives", derivatives),
              ("InitialUnknowns", sorted([*derivatives, *contents.references("output")])))
    for kind, references in groups:
        if references:
            element = SubElement(parent, kind)
            for reference in references:
                SubElement(element, "Unknown", {"index": str(reference + 1)})
