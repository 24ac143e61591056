"""The compiled code of a module is found again by a hash of what it depends on: all of that, and nothing else."""

import os
import pickle
import shutil
import subprocess
import sys
import time
from pathlib import Path

from scree.edit.body_placement import renew_body
from scree.runtime import code_files, code_identity, source_closure
from scree.runtime.code_cache import CodeCache
from scree.runtime.source_closure import _absolute, all_modules, closure, closure_hash


def test_relative_names_are_resolved():
    assert _absolute("scree.constraints.colours", False, "..bodies.schema") == "scree.bodies.schema"
    assert _absolute("scree.core.world", False, "..bodies") == "scree.bodies"
    assert _absolute("scree.runtime", True, ".kernel") == "scree.runtime.kernel"


def test_a_module_depends_on_what_it_imports_indirectly():
    found = closure("scree.collision.contacts")
    assert "scree.geometry.vector" in found
    assert "scree.bodies.schema" in found
    assert "scree.runtime.kernel" in found
    assert not any(name.startswith("scree.godot") for name in found)


def test_a_submodule_named_after_import_counts():
    assert "scree.bodies.motion" in closure("scree.edit.body_placement")


def test_no_closure_misses_what_python_loads():
    """Python itself is the oracle: after importing a module, every module of the engine that is loaded is in its closure, or
    is a package on the way."""
    modules = ("scree.step.physics_system", "scree.collision.shapes", "scree.broad_phase.rebuild")
    code = "import {}, sys; print(*[m for m in sys.modules if m.startswith('scree')])"
    running = [subprocess.Popen([sys.executable, "-c", code.format(m)], stdout=subprocess.PIPE, text=True) for m in modules]
    for module, process in zip(modules, running, strict=True):
        loaded = process.communicate(timeout=120)[0].split()
        assert process.returncode == 0 and module in loaded
        packages = {name for name in loaded if any(other.startswith(f"{name}.") for other in loaded)}
        assert set(loaded) - packages - source_closure.WITHOUT_EFFECT <= set(closure(module))


def test_a_change_changes_the_hash_of_those_who_depend_on_it(monkeypatch):
    before = {name: source_closure.closure_hash(name) for name in all_modules()}
    real = source_closure._source

    def changed(name):
        text_hash, imports = real(name)
        return ("changed" if name == "scree.geometry.gjk" else text_hash), imports

    monkeypatch.setattr(source_closure, "_source", changed)
    source_closure.closure.cache_clear()
    source_closure.closure_hash.cache_clear()
    try:
        after = {name: source_closure.closure_hash(name) for name in all_modules()}
    finally:
        monkeypatch.undo()
        source_closure.closure.cache_clear()
        source_closure.closure_hash.cache_clear()
    different = {name for name in before if before[name] != after[name]}
    assert "scree.collision.shapes" in different
    assert "scree.bodies.motion" not in different
    assert different == {name for name in before if "scree.geometry.gjk" in closure(name)}


def test_compiled_code_that_nothing_has_used_for_long_goes(tmp_path):
    """A link to nowhere stands for a folder that another start deletes at the same time."""
    for name, days in (("used", code_files.KEPT_DAYS - 1), ("unused", code_files.KEPT_DAYS + 1)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "step.code").touch()
        then = time.time() - days * 86400
        os.utime(tmp_path / name, (then, then))
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere")
    code_files.delete_unused(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["gone", "used"]


def test_equal_sources_elsewhere_share_what_is_compiled(tmp_path):
    """A copy of the engine in another folder loads the code that this one compiled."""
    shutil.copytree(source_closure.ENGINE_FOLDER, tmp_path / "scree", ignore=shutil.ignore_patterns("__pycache__"))
    code = (
        "from scree.runtime import thread_pool, source_closure\n"
        "thread_pool.dismiss.address\n"
        "print(thread_pool.dismiss.is_cached, source_closure.ENGINE_FOLDER.parent)"
    )
    for packages in (os.pathsep.join(filter(None, sys.path)), str(tmp_path)):  # here first, where this process may use a library
        run = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True,
                             env={**os.environ, "PYTHONPATH": packages})  # fmt: skip
    assert run.stdout.split() == ["True", str(tmp_path)]


def forget_sources():
    for cached in (source_closure._file_of, source_closure._source, closure, closure_hash, all_modules):
        cached.cache_clear()


def test_an_installed_package_has_the_hash_of_the_checkout(tmp_path, monkeypatch):
    """Its tools lie in a folder of the engine."""
    installed = shutil.copytree(
        source_closure.ENGINE_FOLDER, tmp_path / "scree", ignore=shutil.ignore_patterns("__pycache__", "native")
    )
    (installed / "tools" / "addon").mkdir(parents=True)
    (installed / "tools" / "__init__.py").write_text("")
    (installed / "tools" / "addon" / "of_godot.py").write_text("number = 1\n")
    hashes = []
    for folder in (source_closure.ENGINE_FOLDER, installed):
        monkeypatch.setattr(source_closure, "ENGINE_FOLDER", folder)
        forget_sources()
        hashes.append((closure_hash("program.functions"), closure_hash("scree.edit.body_placement")))
    monkeypatch.undo()
    forget_sources()
    assert hashes[0] == hashes[1] and hashes[0][0] != hashes[0][1]


def test_cached_code_depends_on_the_sources_of_the_functions_it_closes_over(monkeypatch):
    """The dispatch of edits closes over all edits and imports none of their modules. After a change of the layout of a
    row that only the edits know, old code of the dispatch would write to wrong places."""

    edit = renew_body

    def calls_an_edit(system):
        edit(system)

    def file_now():
        return CodeCache(calls_an_edit, Path("cache"), pickle.dumps).file_of("(int64,)", ("processor",))

    home = edit.py_func.__module__
    monkeypatch.setattr(code_identity, "closure_hash", lambda module: "old")
    before = file_now()
    assert file_now() == before
    monkeypatch.setattr(code_identity, "closure_hash", lambda module: "new" if module == home else "old")
    assert file_now() != before
