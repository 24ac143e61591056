"""Contacts solved eight at a time, bounces, vehicles, pulleys, continuous collision, integration, islands, sleeping."""
