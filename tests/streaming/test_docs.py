"""The example of docs/streaming.md runs as it stands there."""

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs/streaming.md"


def test_the_example_for_python_runs(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(code, str(DOCS), "exec"), {"__name__": "example"})
    printed = capsys.readouterr().out
    assert "at a height of 1.00 m" in printed and "scene='camp'" in printed
    assert "relative to [1024." in printed
    triangles = int(re.search(r"(\d+) triangles", printed)[1])
    assert triangles > 100
