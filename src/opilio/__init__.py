"""Opilio, a focused web crawler: a topic and a budget in, the pages that matter out."""

__version__ = "0.1.0"
