"""The public package as a whole: every name is documented with units and shapes, typed strictly, and used by a test or
example."""

import inspect
import io
import pydoc
import re
from pathlib import Path

import pytest

import scree
from scree.core.part import Part
from scree.core.world import World
from scree.tools import check_types

ROOT = Path(__file__).resolve().parents[2]
UNIT = re.compile(r"\[(?:m|s|kg|rad|N|1)\b[^\]]*\]|\[1/min\]|\b[Nn]o (?:unit|units|quantities)\b")
SHAPE = re.compile(r"\((?:n|m|k|3|4|rows|columns|count)\b[^)]*,?[^)]*\)|\bNo quantities\b")
OF_NUMBERS = re.compile(r"\bfloat\b|Vector|Floats|NDArray|Range|ArrayLike")
OF_ARRAYS = re.compile(r"Vector|Floats|Ints|NDArray|ArrayLike")
PACKAGE = scree.__name__.split(".")[0]
NAMED = [getattr(scree, name) for name in scree.__all__]
CLASSES = [value for value in NAMED if inspect.isclass(value) and not issubclass(value, Exception)]


def members(cls: type) -> list[tuple[str, object]]:
    """Public methods and properties of a class, with those of its bases that are ours."""
    bases = [base for base in reversed(cls.__mro__) if base.__module__.split(".")[0] == PACKAGE]
    found = {name: value for base in bases for name, value in vars(base).items() if not name.startswith("_")}
    return [(name, value) for name, value in found.items() if callable(value) or isinstance(value, property)]


def told(value: object) -> str:
    """The annotations of a function, a property or a class."""
    if isinstance(value, property):
        return str(inspect.signature(value.fget).return_annotation)
    if inspect.isclass(value):
        return str(value.__annotations__) + str(inspect.signature(value.__init__))
    return str(inspect.signature(value))


def faults(name: str, value: object) -> list[str]:
    """The parts that the docstring of a public name leaves out."""
    text, given = " ".join((inspect.getdoc(value) or "").split()), told(value)
    missing = ["docstring"] if not text else []
    if OF_NUMBERS.search(given) and not UNIT.search(text):
        missing.append("unit")
    if OF_ARRAYS.search(given) and "Vehicle" not in name and not SHAPE.search(text):
        missing.append("shape")
    return [f"{name}: no {one} in {text!r}" for one in missing]


@pytest.mark.parametrize("cls", CLASSES)
def test_docstrings_tell_units_and_shapes(cls):
    found = faults(cls.__name__, cls)
    for name, value in members(cls):
        found += faults(f"{cls.__name__}.{name}", value)
    assert found == []


@pytest.mark.parametrize("cls", [scree.Space, scree.Body, scree.Bodies, scree.Area, scree.Joint, scree.World])
def test_each_call_tells_what_raises_and_which_thread(cls):
    whole = inspect.getdoc(cls)
    for base in cls.__mro__[1:-1]:
        whole += inspect.getdoc(base)
    for name, value in members(cls):
        if isinstance(value, property) or len(inspect.signature(value).parameters) < 2:
            continue
        text = inspect.getdoc(value)
        assert re.search(r"[Rr]aises|Error", text), f"{name} does not say what it raises"
        assert "thread" in text + whole, f"{name} does not say which thread may call"


def test_help_of_a_space_has_units_and_shapes():
    out = io.StringIO()
    pydoc.Helper(output=out)(scree.Space)
    for word in ("[m/s^2]", "(n, 3)", "unit quaternion", "Raises ValueError", "add_rigid_many", "cast_rays", "Any thread"):
        assert word in out.getvalue()


@pytest.mark.needs("mypy")
def test_the_type_checker_finds_nothing():
    code, said = check_types.check()
    assert code == 0, said


@pytest.mark.needs("mypy")
def test_users_of_the_package_are_checked_too(tmp_path):
    """It is marked as typed: the examples pass strictly, and a wrong argument is found where it is written."""
    examples = sorted((ROOT / "examples").glob("*.py"))
    code, said = check_types.check(*examples)
    assert code == 0, said
    program = tmp_path / "wrong.py"
    program.write_text("import scree\nspace = scree.World().add_space()\nspace.add_rigid(scree.Box(size=3))\n")
    said = check_types.check(program)[1]
    assert 'Unexpected keyword argument "size" for "Box"' in said, said
    assert (ROOT / "engine_core" / "py.typed").is_file()


def test_every_name_is_used():
    sources = [*(ROOT / "tests" / "api").glob("*.py"), *(ROOT / "examples").glob("*.py")]
    used = set(re.findall(r"(?<!from )\bscree\.([A-Z]\w+)", "".join(path.read_text(encoding="utf-8") for path in sources)))
    assert set(scree.__all__) <= used and used <= set(dir(scree))
    assert list(scree.__all__) == sorted(scree.__all__, key=lambda name: (not name.isupper(), name)), "constants first"


def test_the_classes_of_users_stay_small():
    assert len(members(scree.World)) <= 25 and len(members(scree.Space)) <= 50


def test_the_low_level_world_is_made_of_parts():
    """It had 111 public methods, of many kinds of things. Each kind has a part of its own: `world.body.set_mode(...)`."""
    methods = [name for name, value in vars(World).items() if callable(value) and not name.startswith("_")]
    assert World.__mro__ == (World, object) and len(methods) <= 25
    assert len(Part.__subclasses__()) == 11
