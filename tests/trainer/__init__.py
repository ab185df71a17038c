"""Tests of `lowhand_training`."""
