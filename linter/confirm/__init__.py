"""Run LiteRT's own GPU delegate: to confirm a verdict, and to measure a release.

`confirmation.confirm` answers for one model and one release; `rendering` writes the answer. For measuring, a
`runner.Worker` runs one model after the other: each in a process of its own, with the release imported once.
`environment.find` and `device.find` say with what.
"""
