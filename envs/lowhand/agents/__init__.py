"""Agents: who decides at a seat, by name, from a checkpoint, or by search."""
