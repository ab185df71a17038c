"""Slow, obvious twins of the compiled games, written from the rules alone to judge them by."""
