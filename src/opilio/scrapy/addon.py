"""The settings that let a Scrapy project crawl with Opilio."""

from __future__ import annotations

from scrapy.settings import BaseSettings

from .middlewares import Failures, Observer
from .scheduler import Scheduler

NEAR_THE_ENGINE = 1  # so that all other middlewares have had their say


class Addon:
    """Puts scheduler and middlewares into their places."""

    def update_settings(self, settings: BaseSettings) -> None:
        settings.set("SCHEDULER", Scheduler, "addon")
        settings.setdefault_in_component_priority_dict("SPIDER_MIDDLEWARES", Observer, NEAR_THE_ENGINE)
        settings.setdefault_in_component_priority_dict("DOWNLOADER_MIDDLEWARES", Failures, NEAR_THE_ENGINE)
