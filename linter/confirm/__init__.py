"""Run LiteRT's own GPU delegate: to confirm a verdict, and to measure a release."""
