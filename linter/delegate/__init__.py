"""What LiteRT's GPU delegate does with a graph, release by release.

`loading` says what fails before the delegate is asked, `kernels/` which operators it accepts and with which words
it refuses the others, `partition` which accepted operators it keeps, `creation` which accepted graphs still fail.
`placement` puts them together."""
