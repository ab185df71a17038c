"""The report of one game: a tournament, ratings, exploitability and times on one page.

- `facts`: everything that the page shows, gathered as plain data, which is the JSON too
- `timing`: how long agents take to decide
- `page`: the facts as one HTML page that needs no other file
- `command`: `lowhand report`
"""
