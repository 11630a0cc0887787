"""Opilio inside Scrapy: a project crawls with any strategy and topic, and its spiders stay as they are (docs/scrapy.md).

ADDONS = {"opilio.scrapy.Addon": 100}
OPILIO_TOPIC = "beekeeping"
OPILIO_STRATEGY = "blend"
JOBDIR = "job"
"""

from __future__ import annotations

from importlib.util import find_spec

if find_spec("scrapy") is None:
    raise ImportError('opilio.scrapy needs Scrapy; install it with: pip install "opilio[scrapy]"')

from .addon import Addon
from .middlewares import Failures, Observer
from .scheduler import Scheduler

__all__ = ("Addon", "Failures", "Observer", "Scheduler")
