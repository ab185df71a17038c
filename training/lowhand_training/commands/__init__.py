"""Commands of the command line that stand in modules of their own.

Each has `DESCRIPTION`, `USAGE`, `add(parser)`, which gives a parser its arguments, and
`run(given)`, which does what they say.
"""
