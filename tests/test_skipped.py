"""The summary of a nightly run."""

from skipped import table

REPORT = """<testsuites><testsuite>
<testcase classname="a" name="one"/>
<testcase classname="a" name="two"><skipped message="no Chromium | here"/></testcase>
<testcase classname="a" name="three"><skipped message="no Chromium | here"/></testcase>
<testcase classname="b" name="four"><failure message="2 != 3"/></testcase>
</testsuite></testsuites>"""


def test_reasons_are_counted_and_failures_named():
    lines = table(REPORT).splitlines()
    assert lines[0] == "4 tests, 1 failed, 2 skipped"
    assert "- failed: `b::four`" in lines
    assert lines[-1] == "| 2 | no Chromium / here |"
