"""Many ordinary bodies at once: created and added to a system, read, pushed and freed, each by one compiled call."""
