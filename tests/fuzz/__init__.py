"""Fuzzing: what may be read, damaged without end. See `README.md` here."""
