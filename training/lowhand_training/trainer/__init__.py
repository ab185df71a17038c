"""Training runs: configuration, league, checkpoints."""
