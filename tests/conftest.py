"""This folder is on the path of every room's tests, for the common fixtures in it.

`pytest --balance` checks forces and power at every node of every model that any test simulates.
"""

import warnings

import pytest

import linkwright as lw


def pytest_configure(config):
    config.addinivalue_line("markers", "unbalanced: what the test simulates breaks the laws of balance on purpose")


def pytest_addoption(parser):
    parser.addoption("--balance", action="store_true", help="forces and power must balance in every result")


@pytest.fixture(autouse=True)
def balanced(request, monkeypatch):
    """Every result of the test obeys the laws of tests/balance.py, where that was asked for."""
    if not request.config.getoption("--balance") or request.node.get_closest_marker("unbalanced"):
        yield
        return
    from balance import imbalances

    simulate, found = lw.simulate, []

    def checked(*given, **options):
        result = simulate(*given, **options)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            off = imbalances(result)
        if off:
            found.append(off)
        return result

    monkeypatch.setattr(lw, "simulate", checked)
    yield
    assert not found, f"out of balance: {found}"
