extends RefCounted
## Refuses wrong values of a node's properties: the property stays as it was, and later calls are right.


## Whether a number is finite and at least 0.
static func is_not_negative(owner: String, property: StringName, value: float) -> bool:
	return is_right(owner, property, value >= 0.0 and is_finite(value), "finite and at least 0", value)


## Whether a number is finite and above 0.
static func is_positive(owner: String, property: StringName, value: float) -> bool:
	return is_right(owner, property, value > 0.0 and is_finite(value), "above 0 and finite", value)


## Prints an error unless `right`.
static func is_right(owner: String, property: StringName, right: bool, wanted: String, value: Variant) -> bool:
	if not right:
		push_error("%s.%s: must be %s, got %s" % [owner, property, wanted, value])
	return right
