"""A program with compiled functions of its own: rules of contacts, and the support function of a shape."""
