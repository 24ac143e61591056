"""Many copies of one space, stepped in one call: for learning."""
