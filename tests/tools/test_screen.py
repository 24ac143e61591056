"""Screens that nobody sees: the machine's, and the one that was fetched with Godot."""

import os
import shutil

import pytest

from scree.tools import screen as screens
from scree.tools.find_godot import Godot
from scree.tools.screen import NoScreen, screen


def hide_the_machines(monkeypatch):
    which = shutil.which
    monkeypatch.setattr(screens.shutil, "which", lambda name: None if name == "Xvfb" else which(name))


def test_a_screen_is_there_and_goes_again(godot):
    with screen(godot) as environment:
        number = environment["DISPLAY"].removeprefix(":")
        socket = f"{os.sep}tmp/.X11-unix/X{number}"
        assert os.path.exists(socket)
    assert not os.path.exists(socket)


def test_two_screens_have_two_numbers(godot):
    with screen(godot) as one, screen(godot) as other:
        assert one["DISPLAY"] != other["DISPLAY"]


def test_without_any_it_is_said(monkeypatch):
    hide_the_machines(monkeypatch)
    with pytest.raises(NoScreen, match="no Xvfb on PATH"), screen(Godot(("godot",), "4.6", "here")):
        pass


def test_a_screen_that_does_not_start_gives_its_reason(tmp_path, monkeypatch):
    broken = tmp_path / "Xvfb"
    broken.write_text("#!/bin/sh\necho no memory >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr(screens, "server_command", lambda godot: (str(broken),))
    with pytest.raises(NoScreen, match="no memory"), screen(Godot(("godot",), "4.6", "here")):
        pass


def test_the_fetched_one_is_made_to_run_from_its_folder(tmp_path, monkeypatch):
    hide_the_machines(monkeypatch)
    (tmp_path / "usr/bin").mkdir(parents=True)
    (tmp_path / "usr/bin/Xvfb").write_bytes(b"program\0/usr/bin\0more\0/usr/bin/other\0")
    (tmp_path / "usr/bin/xkbcomp").write_text("the program")
    for _ in range(2):  # the second time finds it done
        command = screens.server_command(Godot(("godot",), "4.6", "fetched", tmp_path))
    assert command[-3] == str(tmp_path / "usr/bin/Xvfb-here")
    assert (tmp_path / "usr/bin/Xvfb-here").read_bytes() == b"program\0usr//bin\0more\0/usr/bin/other\0"
    assert (tmp_path / "usr/bin/xkbcomp-here").read_text() == "the program"
    assert (tmp_path / "usr/bin/xkbcomp").read_text().startswith("#!/bin/sh\nexec ")
