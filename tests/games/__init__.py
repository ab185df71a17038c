"""Tests of `lowhand`."""
