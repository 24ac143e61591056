"""Settings of Sphinx for `scree docs`, and how it reads the package: types are shown as the source writes them."""

import ast
import inspect
import re
import textwrap
from dataclasses import is_dataclass
from typing import Any

import scree
from scree.tools import api_pages

project = html_title = "Scree Physics"
extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "README"
html_theme = "furo"
html_copy_source = html_show_sphinx = html_show_copyright = html_domain_indices = False
highlight_language = "none"
smartquotes = False  # `--list` and "xyz" stay as they are
myst_heading_anchors = 6
autodoc_inherit_docstrings = False
autodoc_member_order = "bysource"
python_maximum_signature_line_length = 100
# Names of Python and NumPy, and of the core for experts, which have no entry here.
nitpick_ignore_regex = [("py:class", r"Any|Literal|Sequence|Mapping|Iterable|Iterator|Callable|NDArray|np\.\w+|Queries")]

CALLED = {"World", "Layers"}
"""Classes that programs call, besides values such as shapes: all others come from a call of a `Space`."""
COMMENT = re.compile(r"^    (\w+): .*?  # (?!fmt|type)(.+)$", re.MULTILINE)
"""A field of a dataclass with a comment behind it."""


def shown_type(node: ast.expr) -> str:
    """A type as it is written, without the quotes of one that is written as text."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ast.unparse(node)


def tree_of(thing: Any) -> Any:
    """The syntax tree of a class or a function."""
    return ast.parse(textwrap.dedent(inspect.getsource(thing))).body[0]


def give_signature(thing: Any, types: dict[str, str]) -> None:
    """Have Sphinx show a function or a dataclass with these types."""
    signature = inspect.signature(thing)
    parameters = [one.replace(annotation=types.get(one.name, one.empty)) for one in signature.parameters.values()]
    thing.__signature__ = signature.replace(parameters=parameters, return_annotation=types.get("return", signature.empty))


def give_signatures(cls: type) -> None:
    """Have Sphinx show a class, its methods and its properties as they are written."""
    for member in [*api_pages.members(cls).values(), vars(cls).get("__init__")]:
        function = member.fget if isinstance(member, property) else member
        if inspect.isfunction(function) and function.__code__.co_filename != "<string>":  # a dataclass makes those
            node = tree_of(function)
            typed = [(one.arg, one.annotation) for one in ast.walk(node.args) if isinstance(one, ast.arg)]
            give_signature(function, {name: shown_type(one) for name, one in (*typed, ("return", node.returns)) if one})
            function.__annotations__ = {}  # or Sphinx would take them from here
    if is_dataclass(cls):
        fields = [one for base in reversed(api_pages.bases(cls)) for one in tree_of(base).body if isinstance(one, ast.AnnAssign)]
        give_signature(cls, {ast.unparse(one.target): shown_type(one.annotation) for one in fields})


def docstring(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Make a docstring reStructuredText, with the comments behind the fields of a dataclass."""
    text = api_pages.rst(api_pages.whole_docstring(value) if inspect.isclass(value) else "\n".join(lines).strip())
    comments = COMMENT.findall(inspect.getsource(value)) if is_dataclass(value) else []
    lines[:] = [*text.split("\n"), "", *(f"* {api_pages.rst(f'`{field}`: {comment}')}" for field, comment in comments), ""]


def signature(app: Any, what: str, name: str, value: Any, options: Any, written: str, returned: str) -> Any:
    """Leave out how handles and results are made: programs do not."""
    made = inspect.isclass(value) and not is_dataclass(value) and value.__name__ not in CALLED
    return ("", "") if written and made else None


def setup(app: Any) -> None:
    for cls in filter(inspect.isclass, [getattr(scree, name) for name in scree.__all__]):
        give_signatures(cls)
    app.connect("autodoc-process-docstring", docstring)
    app.connect("autodoc-process-signature", signature)
