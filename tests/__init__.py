"""Tests of both packages; the folders mirror them."""
