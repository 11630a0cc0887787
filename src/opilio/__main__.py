"""`python -m opilio`: the same as the command `opilio`."""

from .cli import main

main()
