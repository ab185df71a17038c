"""Tournaments: every agent in every field shape, played by processes or a Ray cluster.

- `plan`: what is played, as a list of jobs that depend on nothing but their description
- `table`: the one table of games, its schema, and how parts of it are written and read
- `play`: a job played, giving its part of the table
- `workers`: jobs played by processes or by Ray
- `driver`: the folder of a tournament, from the first job to the last, resumable at any moment
"""
