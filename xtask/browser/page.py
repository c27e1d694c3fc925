"""The page under test, the report.json beside it, and the way it is looked at."""

import dataclasses
import json
import pathlib

from webdriver import Browser

WIDTHS = (1280, 400)
SCHEMES = ("light", "dark")
FAMILIES = ("casebased", "attribution", "graph", "repro", "simulation")


@dataclasses.dataclass
class Page:
    """A page that is open in a browser."""

    browser: Browser
    file: pathlib.Path
    report: dict
    # The source of axe-core, where there is one.
    axe: str | None
    # A program that reads PDF files, where there is one.
    pdftotext: str | None
    width: int = WIDTHS[0]
    scheme: str = SCHEMES[0]

    @classmethod
    def beside(cls, folder, browser, axe, pdftotext, page="index.html"):
        """The page of a folder that `xai report` wrote."""
        report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        return cls(browser, (folder / page).resolve(), report, axe, pdftotext)

    @property
    def address(self):
        return self.file.as_uri()

    def open(self, width, scheme):
        """Opens it at a width, light or dark."""
        self.width, self.scheme = width, scheme
        self.browser.look(width, scheme)
        self.browser.open(self.address)

    def sections(self):
        """The sections of report.json that could be computed."""
        return [section for family in FAMILIES for section in self.report[family]]
