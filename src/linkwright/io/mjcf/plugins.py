"""Plugins that a file asks for: their names, and what their instances are given.

One is known here: mujoco.pid, a controller of joints.  All others are refused by name.
"""

from __future__ import annotations

from ..markup import Element

#: the controller whose law is known here
PID = "mujoco.pid"
#: instance → (plugin, what it is given, by key)
Instances = dict[str, tuple[str, dict[str, Element]]]


def read_instances(root: Element) -> Instances:
    """The instances of all <extension> sections, by name."""
    instances: Instances = {}
    for section in root.all("extension"):
        for plugin in section.all("plugin"):
            for instance in plugin.all("instance"):
                instances[instance.need("name")] = plugin.need("plugin"), _configured(instance)
            plugin.get("plugin")
    return instances


def plugin_of(element: Element, instances: Instances) -> tuple[str, dict[str, float]]:
    """(the plugin that an element asks for, what it is given); numbers where it is the one that is known."""
    wanted = element.get("instance")
    if wanted is not None and wanted not in instances:
        raise element.error(f"there is no plugin instance {wanted!r}.")
    name, given = instances[wanted] if wanted is not None else (element.need("plugin"), _configured(element))
    element.get("plugin")
    if name != PID:
        return name, {}
    return name, {key: config.number("value", 0.0) for key, config in given.items()}


def _configured(element: Element) -> dict[str, Element]:
    given = {config.need("key"): config for config in element.all("config")}
    for config in given.values():
        config.get("value")
    return given
