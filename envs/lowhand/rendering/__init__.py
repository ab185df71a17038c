"""Pictures of positions, and the window that shows them."""
