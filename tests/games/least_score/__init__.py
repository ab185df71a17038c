"""Tests of Least Score."""
