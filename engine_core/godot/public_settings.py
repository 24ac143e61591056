"""The explanations of the project settings for the editor's panel: `Scree.describe_settings`, from `setting_table.py`."""

from .public_class import PublicClass
from .schema import DICTIONARY
from .setting_table import ENGINE_SETTINGS, SETTINGS, SOLVER_SETTINGS, Setting


def described(setting: Setting) -> dict:
    """One setting as a Dictionary; a switch has no range, and a setting without an upper end no `largest`."""
    return {name: value for name, value in setting._asdict().items() if value is not None}


def describe_settings() -> dict[str, dict]:
    """Describe every project setting that Scree reads, by name: first its own, then those of Godot."""
    of_engine = {name: setting for name, (setting, _) in ENGINE_SETTINGS.items()}
    return {name: described(setting) for name, setting in {**SETTINGS, **SOLVER_SETTINGS, **of_engine}.items()}


def add_setting_methods(scree: PublicClass) -> None:
    """Add the call to the class `Scree`."""
    scree.method(
        "describe_settings", lambda behind: describe_settings(), result=DICTIONARY,
        text="Returns what each project setting that Scree reads does: by its name a Dictionary with [code]default[/code], "
        "[code]smallest[/code], [code]largest[/code] (if it has a range), [code]unit[/code], [code]does[/code] and "
        "[code]breaks[/code] (what goes wrong with a bad value).",
    )  # fmt: skip
