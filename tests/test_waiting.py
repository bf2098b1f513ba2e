"""What takes long is said: to the log, and to a person who looks on; nothing is printed otherwise."""

import io
import logging
import subprocess
import sys
import threading

import linkwright.waiting as waiting


class Terminal(io.StringIO):
    """A stream that says it is a terminal, and tells when something is written to it."""

    def __init__(self):
        super().__init__()
        self.written = threading.Event()

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.written.set()
        return super().write(text)


def test_a_person_is_told_after_a_while(monkeypatch, caplog):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(waiting, "PATIENCE", 0.01)
    with caplog.at_level(logging.INFO, "linkwright"), waiting.waiting("compiling"), waiting.waiting("a part of it"):
        assert terminal.written.wait(30)
    assert terminal.getvalue().startswith("linkwright: compiling … ") and terminal.getvalue().endswith(" s\n")
    assert "a part of it" not in terminal.getvalue()
    assert any(record.message.startswith("compiling: ") for record in caplog.records)


def test_what_is_quick_is_not_shown(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with waiting.waiting("nothing"):
        pass
    assert terminal.getvalue() == ""


def test_import_prints_nothing():
    done = subprocess.run([sys.executable, "-c", "import linkwright"], capture_output=True, text=True, check=True)
    assert done.stdout == "" and done.stderr == ""
