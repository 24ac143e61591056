"""Islands, colouring, warm start, sub-steps, restitution, integration, sleeping."""
