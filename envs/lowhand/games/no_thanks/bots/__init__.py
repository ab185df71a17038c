"""Scripted players of No Thanks!, and distributions over their parameters."""
