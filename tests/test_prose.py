"""Docstrings say what a thing is or does: none begins with a word that leaves its subject open."""

import ast
import re
from pathlib import Path

ENGINE = Path(__file__).resolve().parent.parent / "engine_core"
BARE = re.compile(r"(Who|What|Whom|Whose|Of|The same|Do that|One that|Those|As)\b")


def docstrings(source: str) -> list[tuple[int, str]]:
    """(line, text) of every string that stands alone: docstrings, and those below constants."""
    statements = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Expr)]
    values = [node.value for node in statements if isinstance(node.value, ast.Constant)]
    return [(value.lineno, value.value.strip()) for value in values if isinstance(value.value, str)]


def headless(source: str) -> list[int]:
    return [line for line, text in docstrings(source) if BARE.match(text)]


def test_docstrings_begin_with_their_subject():
    paths = sorted(ENGINE.rglob("*.py"))
    assert len(paths) > 100
    assert [f"{path.relative_to(ENGINE)}:{line}" for path in paths for line in headless(path.read_text("utf-8"))] == []


def test_a_docstring_without_a_subject_is_found():
    assert headless('"""What a step does."""') == [1]
    assert headless('def f():\n    """Of two bodies the nearer."""') == [2]
    assert headless('LIMIT = 3\n"""As many as there are."""') == [2]
    assert headless('"""Whether it moves."""\nx = "What it says"\n"""Offset [m]."""') == []
