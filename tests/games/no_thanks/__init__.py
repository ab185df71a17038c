"""Tests of No Thanks!."""
