"""Agents compared: evaluations, tournaments, ratings, sequential tests."""
