"""Reading and changing single settings in the text of a project.godot, leaving every other byte as it was."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_HEADER = re.compile(r"^\[([^\]\n]+)\][ \t]*(?:;.*)?$")
_KEY = re.compile(r"^([^=\s;\[][^=\n]*?)[ \t]*=")


@dataclass(frozen=True)
class _Entry:
    """A section's header or a setting: where it stands in the text. A header has no key."""

    section: str
    key: str
    begin: int
    value_begin: int
    end: int  # behind the value, before the line's end


def _value_end(text: str, begin: int) -> int:
    """Where the value that starts at `begin` ends: values hold strings and brackets that run over lines."""
    depth, quoted, at = 0, False, begin
    while at < len(text):
        character = text[at]
        if quoted:
            if character == "\\":
                at += 1
            quoted = character != '"'
        elif character == '"':
            quoted = True
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif character == "\n" and depth <= 0:
            return at - 1 if text[at - 1] == "\r" else at
        at += 1
    return len(text)


def _entries(text: str) -> Iterator[_Entry]:
    section, at = "", 0
    while at < len(text):
        line_end = text.find("\n", at)
        line_end = len(text) if line_end < 0 else line_end
        line = text[at:line_end].rstrip("\r")
        header, key = _HEADER.match(line), _KEY.match(line)
        if header:
            section = header[1]
            yield _Entry(section, "", at, at, at + len(line))
        elif key:
            end = _value_end(text, at + key.end())
            yield _Entry(section, key[1].strip('"'), at, at + key.end(), end)
            line_end = text.find("\n", end)
            line_end = len(text) if line_end < 0 else line_end
        at = line_end + 1


def get_setting(text: str, section: str, key: str) -> str | None:
    """The value of `key` in `[section]` as it is written (strings with their quotes); None where it is not set."""
    for entry in _entries(text):
        if (entry.section, entry.key) == (section, key):
            return text[entry.value_begin : entry.end].strip()
    return None


def remove_setting(text: str, section: str, key: str) -> str:
    """`text` without the line of `key` in `[section]`, and without that section if nothing else is in it; all else stays as it
    was."""
    for entry in _entries(text):
        if (entry.section, entry.key) == (section, key):
            end = text.find("\n", entry.end)
            return _remove_if_empty(text[: entry.begin] + (text[end + 1 :] if end >= 0 else ""), section)
    return text


def _remove_if_empty(text: str, section: str) -> str:
    """`text` without headers of a section that have neither settings nor comments."""
    headers = [entry for entry in _entries(text) if not entry.key]
    ends = [entry.begin for entry in headers[1:]] + [len(text)]
    for header, end in reversed([*zip(headers, ends, strict=False)]):
        if header.section == section and text[header.begin : end].strip() == f"[{section}]":
            newline = "\r\n" if "\r\n" in text else "\n"
            before = text[: header.begin].rstrip("\r\n")
            text = text[: header.begin] + text[end:] if end < len(text) else before + (newline if before else "")
    return text


def set_setting(text: str, section: str, key: str, value: str) -> str:
    """`text` with `key` in `[section]` set to `value`, which is written as it is; all else stays as it was."""
    newline = "\r\n" if "\r\n" in text else "\n"
    last_of_section = None
    for entry in _entries(text):
        if entry.section != section:
            continue
        if entry.key == key:
            return text[: entry.value_begin] + value + text[entry.end :]
        last_of_section = entry
    if last_of_section is None:
        before = text.rstrip("\r\n")
        gap = newline * 2 if before else ""
        return f"{before}{gap}[{section}]{newline * 2}{key}={value}{newline}"
    end = last_of_section.end
    gap = newline if last_of_section.key else newline * 2
    rest = text[end:] or newline
    return f"{text[:end]}{gap}{key}={value}{rest}"
