"""Least Score on reduced decks, solved by discounted CFR."""
