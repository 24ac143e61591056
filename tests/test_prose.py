"""Docstrings and the comments that document GDScript say what a thing is or does: none begins with a word that leaves its subject
open. No sentence of a page begins with one either."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BARE = re.compile(r"(Who|What|Whom|Whose|Of|The same|Do that|One that|Those|As)\b")
BARE_SENTENCE = re.compile(r"(?:^|[.!?:] |\*\* )((?:Who|What|Whom|Whose|Whoever|One that|Those who)\b[^.?]*)(?=\.)")


def docstrings(source: str) -> list[tuple[int, str]]:
    """(line, text) of every string that stands alone: docstrings, and those below constants."""
    statements = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Expr)]
    values = [node.value for node in statements if isinstance(node.value, ast.Constant)]
    return [(value.lineno, value.value.strip()) for value in values if isinstance(value.value, str)]


def headless(source: str) -> list[int]:
    return [line for line, text in docstrings(source) if BARE.match(text)]


def test_docstrings_begin_with_their_subject():
    paths = [path for folder in ("engine_core", "tools", "examples", "tests") for path in sorted((ROOT / folder).rglob("*.py"))]
    assert len(paths) > 300
    assert [f"{path.relative_to(ROOT)}:{line}" for path in paths for line in headless(path.read_text("utf-8"))] == []


def headless_comments(source: str) -> list[int]:
    """Lines with the beginning of a documentation comment of GDScript that leaves its subject open."""
    lines = source.splitlines()
    documents = [line.strip().startswith("##") for line in lines]
    first = [k for k in range(len(lines)) if documents[k] and not (k and documents[k - 1])]
    return [k + 1 for k in first if BARE.match(lines[k].strip()[2:].strip())]


def test_comments_that_document_nodes_begin_with_their_subject():
    paths = [path for folder in ("addons", "demo_project", "tests") for path in sorted((ROOT / folder).rglob("*.gd"))]
    assert len(paths) > 30
    assert [f"{path.relative_to(ROOT)}:{line}" for path in paths for line in headless_comments(path.read_text("utf-8"))] == []


def headless_sentences(page: str) -> list[str]:
    """Sentences of a page that begin with a bare who or what; questions, headings and code may."""
    text = re.sub(r"```.*?```", "", page, flags=re.DOTALL)
    parts = [part for part in re.split(r"\n\s*\n|\n(?=[-|*#] ?)|\s\| ", text) if not part.startswith("#")]
    parts = [" ".join(part.lstrip("|-* ").split()) for part in parts]
    return [found for part in parts for found in BARE_SENTENCE.findall(part + ".")]


def test_sentences_of_pages_begin_with_their_subject():
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
    assert [f"{page.name}: {found}" for page in pages for found in headless_sentences(page.read_text("utf-8"))] == []


def test_a_docstring_without_a_subject_is_found():
    assert headless('"""What a step does."""') == [1]
    assert headless('def f():\n    """Of two bodies the nearer."""') == [2]
    assert headless('LIMIT = 3\n"""As many as there are."""') == [2]
    assert headless('"""Whether it moves."""\nx = "What it says"\n"""Offset [m]."""') == []


def test_a_comment_or_a_sentence_without_a_subject_is_found():
    assert headless_comments("## Of all bodies.\nvar a\n\n## Speed [m/s].\n## What it is not.\n") == [1]
    page = "# What it is\n\nA step. What it does\nis seen.\n\n- Who rests sleeps.\n"
    assert headless_sentences(page) == ["What it does is seen", "Who rests sleeps"]
    assert headless_sentences("What is it? A body.\n\n```\nWhat. it\n```\n") == []
