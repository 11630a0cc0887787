"""Opilio as a server of the Model Context Protocol: what programs with a language model can ask it to do."""
