"""The editor's help (F1) of Scree's public classes: the page of a class as the XML that Godot reads."""

from dataclasses import dataclass, field

from .typed_values import Kind


@dataclass
class Page:
    """One page of the help. `methods`, `signals`: name, arguments, result, defaults, text; `members`: name, type,
    setter, getter, text; `constants`: name, value, enumeration, text."""

    name: str
    parent: str
    brief: str
    text: str
    methods: list[tuple[str, dict[str, Kind], Kind | None, dict[str, str], str]] = field(default_factory=list)
    signals: list[tuple[str, dict[str, Kind], str]] = field(default_factory=list)
    members: list[tuple[str, Kind, str, str, str]] = field(default_factory=list)
    constants: list[tuple[str, int, str, str]] = field(default_factory=list)

    def xml(self) -> str:
        """The page as XML."""
        lines = ['<?xml version="1.0" encoding="UTF-8" ?>', f'<class name="{self.name}" inherits="{self.parent}">',
                 f"<brief_description>{escape(self.brief)}</brief_description>",
                 f"<description>{escape(self.text)}</description>"]  # fmt: skip
        lines.append("<methods>")
        for name, arguments, result, defaults, text in self.methods:
            returned = f"<return {_type(result)} />" if result else '<return type="void" />'
            lines += [f'<method name="{name}">', returned, *_parameters(arguments, defaults), _described(text), "</method>"]
        lines += ["</methods>", "<members>"]
        for name, kind, setter, getter, text in self.members:
            lines.append(f'<member name="{name}" {_type(kind)} setter="{setter}" getter="{getter}">{escape(text)}</member>')
        lines += ["</members>", "<signals>"]
        for name, arguments, text in self.signals:
            lines += [f'<signal name="{name}">', *_parameters(arguments, {}), _described(text), "</signal>"]
        lines += ["</signals>", "<constants>"]
        for name, value, enum, text in self.constants:
            of_enum = f' enum="{enum}"' if enum else ""
            lines.append(f'<constant name="{name}" value="{value}"{of_enum}>{escape(text)}</constant>')
        return "\n".join([*lines, "</constants>", "</class>", ""])


def escape(text: str) -> str:
    """Text inside an element. Python's own function comes with a library for the web, which a game does not carry."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def quoteattr(text: str) -> str:
    """The value of an attribute, with its quotes."""
    return '"{}"'.format(escape(text).replace('"', "&quot;"))


def _type(kind: Kind) -> str:
    if "." in kind.class_name:
        return f'type="int" enum={quoteattr(kind.class_name)}'
    return f"type={quoteattr(kind.shown)}"


def _parameters(arguments: dict[str, Kind], defaults: dict[str, str]) -> list[str]:
    made = []
    for index, (name, kind) in enumerate(arguments.items()):
        default = f" default={quoteattr(defaults[name])}" if name in defaults else ""
        made.append(f'<param index="{index}" name="{name}" {_type(kind)}{default} />')
    return made


def _described(text: str) -> str:
    return f"<description>{escape(text)}</description>"
