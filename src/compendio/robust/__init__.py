"""Aggregation of numeric scores that one biased judge cannot move."""
