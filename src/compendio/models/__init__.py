"""Language models behind one call that never raises, and the store that keeps what they said."""
