"""Looks at a report in a browser: `check_report.py --help`. The standard library, Chromium and its driver are enough."""

import argparse
import pathlib
import shutil
import sys
import time

import axe
import checks_of_names
import checks_of_page
import checks_of_parts
import checks_of_report
import self_test
from page import SCHEMES, WIDTHS, Page
from webdriver import Browser, Refused

# In this order: the logs are read before anything else is done, and what changes the page comes last.
OF_EVERY_LOOK = [
    checks_of_page.console,
    checks_of_page.requests,
    checks_of_report.shown_numbers,
    checks_of_page.width,
]
OF_ONE_LOOK = [
    checks_of_page.speed,
    checks_of_report.figures_of_sections,
    checks_of_report.findings,
    checks_of_parts.pictures,
    checks_of_parts.hints,
    checks_of_parts.sorting,
    checks_of_page.without_script,
    checks_of_page.printing,
]
# Problems of one check that are told; there may be hundreds of one kind.
MOST_TOLD = 12


def look_at(page, more):
    """All problems of a page: at each width, light and dark; `more` checks are of this page alone."""
    problems = []
    for width in WIDTHS:
        for scheme in SCHEMES:
            first = (width, scheme) == (WIDTHS[0], SCHEMES[0])
            page.open(width, scheme)
            # The last one takes parts of the page away.
            for check in OF_EVERY_LOOK + (more + OF_ONE_LOOK if first else []) + [checks_of_page.accessibility]:
                where = f"{page.file.parent.name}, {width} px, {scheme}, {check.__name__}"
                problems += told(where, check(page))
            # What the checks themselves did was quiet, too.
            where = f"{page.file.parent.name}, {width} px, {scheme}, while it was used"
            problems += told(where, checks_of_page.console(page))
    return problems


def told(where, found):
    """Problems as lines, of many the first ones."""
    unique = list(dict.fromkeys(found))
    lines = [f"{where}: {problem}" for problem in unique[:MOST_TOLD]]
    return lines + ([f"{where}: and {len(unique) - MOST_TOLD} more"] if len(unique) > MOST_TOLD else [])


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("report", type=pathlib.Path, help="the folder of index.html and report.json")
    parser.add_argument("--hostile", type=pathlib.Path, help="the folder of a report on the study hostile.toml of studies.py")
    parser.add_argument("--self-test", type=pathlib.Path, metavar="SMALL",
                        help="the folder of a report of which broken copies are made, to see that each is found")
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("."), help="the folder where axe-core is kept")
    parser.add_argument("--chromium", default="chromium")
    parser.add_argument("--chromedriver", default="chromedriver")
    return parser.parse_args()


def main():
    asked = arguments()
    script, pdftotext = axe.source(asked.keep), shutil.which("pdftotext")
    if script is None:
        print("  axe-core is left out: neither npm nor PyPI gives it")
    if pdftotext is None:
        print("  the text of the print is left out: there is no pdftotext")
    problems = []
    with Browser(shutil.which(asked.chromium) or asked.chromium, asked.chromedriver) as browser:
        for folder, more in ((asked.report, []), (asked.hostile, [checks_of_names.names_are_text])):
            if folder:
                start = time.monotonic()
                problems += look_at(Page.beside(folder, browser, script, pdftotext), more)
                print(f"  {folder.name}: looked at in {time.monotonic() - start:.1f} s")
        if asked.self_test:
            start = time.monotonic()
            problems += self_test.run(asked.self_test, self_test.BROKEN, browser, script, pdftotext)
            if asked.hostile:
                problems += self_test.run(asked.hostile, self_test.BROKEN_NAMES, browser, script, pdftotext)
            print(f"  {len(self_test.BROKEN + self_test.BROKEN_NAMES)} broken copies: looked at in {time.monotonic() - start:.1f} s")
    for problem in problems:
        print(f"  {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Refused as refusal:
        # An alert that a page opens ends here, too.
        sys.exit(f"  the browser refused: {refusal}")
