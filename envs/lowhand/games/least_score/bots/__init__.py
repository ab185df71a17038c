"""Scripted players of Least Score, and distributions over their parameters."""
