"""Files, terminal output and the catalogue of checkpoints, used by every part."""
