"""The interfaces over every game: batches, PettingZoo, Gymnasium, OpenSpiel."""
