"""Moving a body by tests: recover, cast, slide."""
