"""Model cards, learning curves and reports."""
