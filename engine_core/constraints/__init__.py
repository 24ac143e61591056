"""Contacts as blocks ready to solve, and their colours; terms and data that several kinds of constraints share."""
