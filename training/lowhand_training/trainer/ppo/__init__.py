"""Proximal policy optimisation with advantages per seat."""
