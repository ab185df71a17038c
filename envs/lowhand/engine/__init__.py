"""The contract of a game and the compiled loops over it; knows no game and no agent."""
