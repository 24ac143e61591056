"""Compiled code on disk: nothing is run before it is known to be whole and one's own; what is not is made anew; starts that meet
on it, or find no room, go on."""

import os
import pickle
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from scree.runtime import cache_folder, code_files
from scree.runtime.cache_folder import CacheRefused, check_own, user_cache_folder, why_not_own

# Each line on stdin is a start of its own: a process that has imported everything and compiled nothing yet.
STARTS = """
import os, sys
from scree.runtime import thread_pool
print("ready", flush=True)
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        entry = thread_pool.dismiss
        address = entry.address
        print(entry.is_cached, entry.code_file, flush=True)
        os._exit(0 if address else 1)
    print(os.waitpid(child, 0)[1], flush=True)
"""
ONE_START = STARTS.replace("for line in sys.stdin:", "for line in [0]:")


def begin(cache, program=STARTS, **settings) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, "-c", program], env={**os.environ, "SCREE_CACHE": str(cache)}, text=True, bufsize=1,
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **settings)  # fmt: skip


def start(process) -> tuple[bool, Path]:
    """A start in a process that was begun: whether the code was there, and where it is now."""
    process.stdin.write("\n")
    was_there, file = process.stdout.readline().split()
    assert process.stdout.readline() == "0\n"
    return was_there == "True", Path(file)


def cut(data: bytearray) -> bytes:
    return data[: len(data) // 2]


def flip(place: float):
    def flipped(data: bytearray) -> bytes:
        data[int(place * (len(data) - 1))] ^= 4
        return data

    return flipped


HARM = (
    lambda data: b"", cut, lambda data: bytes(len(data)), lambda data: data[:-1], lambda data: data + b"\0",
    flip(0.0), flip(0.01), flip(0.5), flip(1.0), lambda data: pickle.dumps("anything"),
)  # fmt: skip


def test_what_is_damaged_is_made_anew(tmp_path):
    process = begin(tmp_path)
    assert process.stdout.readline() == "ready\n"
    was_there, file = start(process)
    assert not was_there and start(process) == (True, file)
    for harm in HARM:
        file.write_bytes(harm(bytearray(file.read_bytes())))
        assert code_files.read(file) is None
        assert start(process) == (False, file), "it was loaded, or is kept elsewhere"
        assert start(process) == (True, file), "it was not mended"
    file.unlink()
    file.mkdir()
    assert start(process) == (False, file), "a folder in the way harms nobody"
    process.stdin.close()
    assert process.wait(60) == 0


def test_every_flipped_bit_is_seen(tmp_path):
    file = tmp_path / "f-1.abc.code"
    code_files.write(file, bytes(range(256)))
    assert code_files.read(file) == bytes(range(256))
    whole = bytearray(file.read_bytes())
    for bit in range(8 * len(whole)):
        whole[bit // 8] ^= 1 << (bit % 8)
        file.write_bytes(whole)
        assert code_files.read(file) is None
        whole[bit // 8] ^= 1 << (bit % 8)
    (tmp_path / "g-1.abc.code").write_bytes(whole)
    assert code_files.read(tmp_path / "g-1.abc.code") is None, "it is another function's"
    assert code_files.read(tmp_path / "none.code") is None


def status(mode: int, owner: int, group: int = 12345) -> os.stat_result:
    return os.stat_result((mode, 0, 0, 1, owner, group, 0, 0, 0, 0))


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="owners are of POSIX")
def test_who_else_may_write_is_known():
    me = os.geteuid()
    for mode in (0o40755, 0o40700, 0o40555):
        assert why_not_own(status(mode, me)) == "" == why_not_own(status(mode, 0))
    assert "another user" in why_not_own(status(0o40755, 54321))
    assert "everybody" in why_not_own(status(0o40757, me)) and "everybody" in why_not_own(status(0o100646, 0))
    assert "group" in why_not_own(status(0o40775, me))
    assert why_not_own(status(0o41777, 0)) == "", "only who owns a file replaces it in a sticky folder"
    assert "another user" in why_not_own(status(0o41777, 54321)) and "everybody" in why_not_own(status(0o101666, me))


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="owners are of POSIX")
def test_a_group_of_ones_own_is_nobody_else(monkeypatch):
    import grp
    import pwd

    own = pwd.getpwuid(os.geteuid()).pw_name
    monkeypatch.setattr(grp, "getgrgid", lambda group: grp.struct_group((own, "x", group, [own])))
    assert why_not_own(status(0o40775, os.geteuid())) == ""
    monkeypatch.setattr(grp, "getgrgid", lambda group: grp.struct_group((own, "x", group, ["someone"])))
    assert "group" in why_not_own(status(0o40775, os.geteuid()))


@pytest.mark.parametrize("where", [".", "compiled"])
def test_a_folder_that_others_may_write_is_refused(tmp_path, where):
    (tmp_path / where).mkdir(exist_ok=True)
    (tmp_path / where).chmod(0o777)
    with pytest.raises(CacheRefused, match="everybody"):
        check_own(tmp_path / where)
    program = "from scree.runtime import code_files"
    run = subprocess.run([sys.executable, "-c", program], env={**os.environ, "SCREE_CACHE": str(tmp_path)}, text=True,
                         capture_output=True, timeout=120)  # fmt: skip
    assert run.returncode != 0 and "CacheRefused" in run.stderr and str(tmp_path) in run.stderr


def test_a_file_that_others_may_write_is_made_anew(tmp_path):
    file = tmp_path / "f-1.abc.code"
    code_files.write(file, b"code")
    file.chmod(0o666)
    assert code_files.read(file) is None
    code_files.write(file, b"code")
    assert code_files.read(file) == b"code" and not why_not_own(file.stat())


def test_folders_and_files_are_ones_own_whatever_the_mask(tmp_path):
    before = os.umask(0)
    try:
        code_files.write(tmp_path / "a" / "b" / "f-1.abc.code", b"code")
    finally:
        os.umask(before)
    for path in (tmp_path / "a", tmp_path / "a" / "b", tmp_path / "a" / "b" / "f-1.abc.code"):
        assert not why_not_own(path.stat())
    assert code_files.read(tmp_path / "a" / "b" / "f-1.abc.code") == b"code"


def two_starts(folder) -> int:
    """Two starts at once with one cache. Returns how many of them found no code there."""
    both = [begin(folder) for _ in range(2)]
    assert [process.stdout.readline() for process in both] == ["ready\n"] * 2
    for process in both:
        process.stdin.write("\n")
    answers = [process.communicate(timeout=300) for process in both]
    assert [process.returncode for process in both] == [0, 0], answers
    assert all(out.splitlines()[-1] == "0" for out, _ in answers), answers
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files and all(path.suffix == ".code" and code_files.read(path) is not None for path in files)
    return sum("False" in out for out, _ in answers)


def test_two_first_starts_at_once_finish(tmp_path):
    # A busy machine may let one end before the other begins; then they are begun anew.
    assert any(two_starts(tmp_path / str(attempt)) == 2 for attempt in range(10))


def test_a_start_that_is_killed_leaves_whole_files(tmp_path):
    process = begin(tmp_path, ONE_START)
    assert process.stdout.readline() == "ready\n"
    until = time.monotonic() + 60.0
    while not list(tmp_path.rglob("*.code")) and time.monotonic() < until:
        time.sleep(0.001)
    process.kill()
    process.communicate()
    kept = list(tmp_path.rglob("*.code"))
    assert kept and all(code_files.read(path) is not None for path in kept)


def no_room() -> None:
    """Keep this process from writing to files, as on a full or read-only disk."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))


def test_without_room_a_start_says_so_once_and_goes_on(tmp_path):
    begun = time.monotonic()
    process = begin(tmp_path, ONE_START, preexec_fn=no_room)
    assert process.stderr.readline().startswith(f"scree: compiled code cannot be kept in {tmp_path / 'compiled'}: File too large")
    print(f"said after {time.monotonic() - begun:.1f} s")
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0 and out.splitlines()[-1] == "0" and err == ""
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_complete_cache_that_may_only_be_read_serves(tmp_path):
    subprocess.run([sys.executable, "-c", ONE_START], env={**os.environ, "SCREE_CACHE": str(tmp_path)}, check=True,
                   stdout=subprocess.DEVNULL)  # fmt: skip
    paths = [tmp_path, *tmp_path.rglob("*")]
    for path in paths:
        path.chmod(path.stat().st_mode & ~0o222)
    before = {path: path.stat().st_size for path in tmp_path.rglob("*")}
    try:
        out, err = begin(tmp_path, ONE_START, preexec_fn=no_room).communicate(timeout=300)
        assert "True" in out and out.splitlines()[-1] == "0" and err == ""
        assert before == {path: path.stat().st_size for path in tmp_path.rglob("*")}
    finally:
        for path in paths:
            path.chmod(path.stat().st_mode | 0o200)


@pytest.mark.parametrize("value", ["", "some/where", "."])
def test_a_cache_home_that_is_empty_or_relative_counts_as_not_set(monkeypatch, value):
    monkeypatch.delenv("SCREE_CACHE", raising=False)
    monkeypatch.setattr(cache_folder.platform, "system", lambda: "Linux")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    usual = user_cache_folder()
    assert usual == Path.home() / ".cache" / "scree"
    monkeypatch.setenv("XDG_CACHE_HOME", value)
    assert user_cache_folder() == usual
    monkeypatch.setenv("XDG_CACHE_HOME", "/some/where")
    assert user_cache_folder() == Path("/some/where/scree")


def test_what_writers_that_were_killed_left_is_cleared_away(tmp_path, monkeypatch):
    monkeypatch.setattr(code_files, "CACHE_FOLDER", tmp_path / "compiled" / "all")
    folder = tmp_path / "compiled" / "all"
    code_files.write(folder / "f-1.abc.code", b"code")
    (folder / "g-1.abc.code").write_bytes(b"not whole")
    for name in (".f.unfinished", ".g.unfinished"):
        (folder / name).touch()
    then = time.time() - 2.0 * code_files.ABANDONED
    os.utime(folder / ".f.unfinished", (then, then))
    assert code_files.damaged_files() == [folder / "g-1.abc.code"]
    code_files.remove_damaged()
    assert sorted(path.name for path in folder.iterdir()) == [".g.unfinished", "f-1.abc.code"]
