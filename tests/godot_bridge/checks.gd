extends SceneTree
## The base of scripts of checks, which checked_script.py runs.

const TICK := 1.0 / 60.0

## `near` compares numbers that are smaller as if they were this large.
var smallest := 1e-3


func check(text: String, passed: bool, got: Variant = "") -> void:
	print("pass " if passed else "FAIL ", text, "" if passed else ": %s" % got)


func near(found: float, wanted: float, part := 0.01) -> bool:
	return absf(found - wanted) <= part * maxf(absf(wanted), smallest)
