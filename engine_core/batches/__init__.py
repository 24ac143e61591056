"""Many ordinary bodies at once: made and put into a system, read, pushed and freed, each by one compiled call."""
