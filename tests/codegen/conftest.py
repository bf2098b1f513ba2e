"""Every run of these tests starts from an empty cache of its own."""

import pytest


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    folder = tmp_path_factory.getbasetemp() / "object-cache"
    monkeypatch.setenv("LINKWRIGHT_CACHE", str(folder))
    return folder
