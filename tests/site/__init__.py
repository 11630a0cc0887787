"""A web site that does everything wrong: a server on raw sockets, and a table of what each fault must lead to.

`python -m tests.site` serves it on loopback and prints the table.
"""
