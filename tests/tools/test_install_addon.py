"""Putting the addon into a project: what is copied, written and changed, and what stops it."""

import sys
from pathlib import Path

import pytest

from scree.tools import addon_files, build_loader, find_python, install_addon, places
from scree.tools.install_addon import CannotInstall, install
from scree.tools.project_settings import get_setting

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def game(tmp_path):
    folder = tmp_path / "a game"
    folder.mkdir()
    (folder / "project.godot").write_text("config_version=5\n\n[physics]\n\n3d/default_gravity=5.0\n")
    return folder


def test_a_project_gets_all_it_needs(game):
    done = install(game)
    assert done.library.is_file() and done.library.name == build_loader.library_name()
    text = (game / "project.godot").read_text()
    assert get_setting(text, "physics", "3d/physics_engine") == '"Scree Physics"'
    assert get_setting(text, "physics", "3d/default_gravity") == "5.0"
    assert (game / ".godot/extension_list.cfg").read_text() == "res://addons/scree/scree.gdextension\n"
    assert (done.addon / "plugin.cfg").read_bytes() == (ROOT / "plugin.cfg").read_bytes()


@pytest.mark.parametrize(
    "place", ["addons/scree/native/loader.c", "addons/scree/plugin.gd", "addons/scree/nodes/scree_guard.gd",
              "demo_project/scripts/running_engine.gd", "plugin.cfg"],
)  # fmt: skip
def test_the_engine_has_one_name(place):
    """Files that are not Python repeat the name."""
    assert f'"{install_addon.ENGINE_NAME}"' in (ROOT / place).read_text()


def test_the_paths_beside_the_loader_are_absolute_and_there(game):
    done = install(game)
    lines = [line for line in done.paths_file.read_text().splitlines() if not line.startswith("#")]
    values = dict(line.split("=", 1) for line in lines)
    assert list(values) == ["libpython", "site_packages", "engine", "python_version"]
    assert done.paths_file.parent == done.library.parent
    assert all(Path(values[key]).is_absolute() for key in ("libpython", "site_packages", "engine"))
    assert Path(values["libpython"]).is_file()
    assert (Path(values["site_packages"]) / "numba").is_dir()
    assert (Path(values["engine"]) / "godot" / "start.py").is_file()
    assert values["python_version"] == f"{sys.version_info[0]}.{sys.version_info[1]}"


def test_it_may_be_repeated(game):
    install(game)
    listing = game / ".godot/extension_list.cfg"
    listing.write_text("res://other.gdextension\n" + listing.read_text())
    before = {path: path.read_bytes() for path in game.rglob("*") if path.is_file() and path.suffix != ".so"}
    install(game)
    assert {path: path.read_bytes() for path in game.rglob("*") if path.is_file() and path.suffix != ".so"} == before


def test_an_addon_linked_to_the_checkout_stays_linked(game, tmp_path):
    copy = tmp_path / "addon"
    install_addon._copy_addon(places.addon_source(), copy)
    (game / "addons").mkdir()
    (game / "addons/scree").symlink_to(copy)
    done = install(game, source=copy)
    assert (game / "addons/scree").is_symlink() and done.library.is_file()


@pytest.mark.parametrize("is_installed", [False, True])
def test_a_file_of_the_users_is_not_replaced(game, is_installed):
    """Also in a folder of the addon's name that was never Scree's."""
    if is_installed:
        install(game)
        listed = game / "addons/scree" / addon_files.LIST
        listed.write_text(listed.read_text().replace("nodes/scree_guard.gd\n", ""))  # as of a Scree without that file
    mine = game / "addons/scree/nodes/scree_guard.gd"
    mine.parent.mkdir(parents=True, exist_ok=True)
    mine.write_text("mine")
    before = {path: path.read_bytes() for path in game.rglob("*") if path.is_file()}
    with pytest.raises(CannotInstall, match="scree_guard.gd is not of Scree"):
        install(game)
    assert {path: path.read_bytes() for path in game.rglob("*") if path.is_file()} == before
    mine.unlink()
    install(game)


def test_a_folder_without_project_is_refused(tmp_path):
    with pytest.raises(CannotInstall, match="no project.godot"):
        install(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("fault", ["loader", "python"])
def test_a_failure_leaves_the_projects_settings_alone(game, monkeypatch, fault):
    before = (game / "project.godot").read_bytes()
    if fault == "loader":
        monkeypatch.setenv("CC", "/bin/false")
        expected = build_loader.LoaderNotBuilt
    else:
        monkeypatch.setattr(find_python, "libpython_candidates", lambda: [Path("/none/libpython.so")])
        expected = find_python.PythonNotUsable
    with pytest.raises(expected):
        install(game)
    assert (game / "project.godot").read_bytes() == before


def test_both_manifests_are_equal():
    assert (ROOT / "plugin.cfg").read_bytes() == (ROOT / "addons/scree/plugin.cfg").read_bytes()


def test_the_extension_names_every_library_that_can_be_built():
    text = (ROOT / "addons/scree/scree.gdextension").read_text()
    assert get_setting(text, "configuration", "entry_symbol") == '"scree_init"'
    for (system, architecture), (library, _) in build_loader.TARGETS.items():
        assert get_setting(text, "libraries", f"{system}.{architecture}") == f'"bin/{library}"'


def test_uninstalling_leaves_the_project_as_it_was(game):
    before = {path: path.read_bytes() for path in game.rglob("*") if path.is_file()}
    install(game)
    done = install_addon.uninstall(game)
    assert len(done) == 3
    after = {path: path.read_bytes() for path in game.rglob("*") if path.is_file() and path.name != "extension_list.cfg"}
    assert after == before
    assert (game / ".godot/extension_list.cfg").read_text() == ""
    assert install_addon.uninstall(game) == []


def test_uninstalling_keeps_what_is_not_ours(game, tmp_path):
    settings = game / "project.godot"
    settings.write_text(
        '[editor_plugins]\n\nenabled=PackedStringArray("res://addons/other/plugin.cfg", "res://addons/scree/plugin.cfg")\n'
        '\n[physics]\n\n3d/physics_engine="Jolt Physics"\nscree_3d/simulation/threads=2\n'
    )
    copy = tmp_path / "addon"
    install_addon._copy_addon(places.addon_source(), copy)
    (game / "addons").mkdir()
    (game / "addons/scree").symlink_to(copy)
    assert len(install_addon.uninstall(game)) == 2
    text = settings.read_text()
    assert get_setting(text, "editor_plugins", "enabled") == 'PackedStringArray("res://addons/other/plugin.cfg")'
    assert get_setting(text, "physics", "3d/physics_engine") == '"Jolt Physics"'
    assert get_setting(text, "physics", "scree_3d/simulation/threads") == "2"
    assert (copy / "plugin.cfg").is_file() and not (game / "addons/scree").exists()


def test_a_folder_without_a_project_has_nothing_to_uninstall(tmp_path):
    with pytest.raises(CannotInstall, match="no Godot project"):
        install_addon.uninstall(tmp_path)


def _as_released(game: Path, with_list: bool) -> Path:
    """An addon as a release leaves it, with small stand-ins for its parts, in a project."""
    addon = game / "addons/scree"
    install_addon._copy_addon(places.addon_source(), addon)
    parts = addon / "bin/linux.x86_64/scree"
    for name in ("python.zip", "libpython3.11.so.1.0", "libz.so.1", "godot_api.json", "modules/math.so"):
        (parts / name).parent.mkdir(parents=True, exist_ok=True)
        (parts / name).write_text("x")
    told = ["libpython=libpython3.11.so.1.0", "archive=python.zip", "part=1 libz.so.1", "part=1 modules/math.so"]
    (parts / "scree_paths.cfg").write_text("\n".join(told))
    (parts.parent / "libscree.linux.x86_64.so").write_text("x")
    (addon / "LICENSES.txt").write_text("x")
    (addon / "removed_since.gd").write_text("x")
    if with_list:
        addon_files.write_list(addon, [file for file in addon.rglob("*") if file.is_file()])
    else:
        (addon / "removed_since.gd").unlink()  # nothing tells of it
    return addon


@pytest.mark.parametrize("with_list", [True, False])
def test_installing_over_a_release_leaves_nothing_of_it(game, tmp_path, with_list):
    addon = _as_released(game, with_list)
    (addon / "bin/mine.txt").write_text("mine")
    (addon / "nodes/mine.gd").write_text("mine")
    (addon / "plugin.gd.uid").write_text("uid://x")  # the editor's
    install(game)
    other = game.parent / "other"
    other.mkdir()
    (other / "project.godot").write_text("config_version=5\n")
    expected = {file.relative_to(other) for file in install(other).addon.rglob("*") if file.is_file()}
    more = {Path("addons/scree") / name for name in ("bin/mine.txt", "nodes/mine.gd", "plugin.gd.uid")}
    assert {file.relative_to(game) for file in addon.rglob("*") if file.is_file()} == expected | more
    assert not (addon / "bin/linux.x86_64").exists()


@pytest.mark.parametrize("with_list", [True, False])
def test_uninstalling_a_release_leaves_the_users_files(game, with_list):
    addon = _as_released(game, with_list)
    mine = addon / "bin/linux.x86_64/scree/mine.txt"
    mine.write_text("mine")
    (addon / "nodes/streaming_world_3d.svg.import").write_text("the editor's")
    done = install_addon.uninstall(game)
    assert [file for file in game.rglob("*") if file.is_file()] == [game / "project.godot", mine]
    assert any(str(mine) in line for line in done)


def test_a_list_that_leads_elsewhere_removes_nothing_there(game):
    install(game)
    elsewhere = game / "elsewhere.txt"
    elsewhere.write_text("mine")
    with open(game / "addons/scree" / addon_files.LIST, "a") as file:
        file.write(f"../../elsewhere.txt\n{elsewhere}\n")
    install_addon.uninstall(game)
    assert elsewhere.is_file() and not (game / "addons/scree").exists()


def test_uninstalling_leaves_no_empty_sections(game):
    settings = game / "project.godot"
    before = 'config_version=5\n\n[physics]\n\n3d/physics_engine="Scree Physics"\n\n[rendering]\n\na=1\n'
    settings.write_text(before + '\n[autoload]\n\nScreeGuard="*res://addons/scree/nodes/scree_guard.gd"\n')
    install_addon.uninstall(game)
    assert settings.read_text() == "config_version=5\n\n[rendering]\n\na=1\n"
