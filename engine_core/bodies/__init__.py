"""The body pool: ids, motion types, layers, filters, publication of transforms, island links."""
