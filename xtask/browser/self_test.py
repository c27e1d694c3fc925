"""Broken copies of a page, each with the check that must find what is wrong with it."""

import json
import re

import checks_of_names
import checks_of_page
import checks_of_parts
import checks_of_report
from page import Page


def without(pattern, new="", count=1):
    """A page with a part of it replaced."""

    def change(html, _):
        changed, n = re.subn(pattern, new, html, count=count, flags=re.DOTALL)
        return changed if n else None

    return change


def both(one, other):
    """A page that is changed in two places."""

    def change(html, report):
        changed = one(html, report)
        return changed and other(changed, report)

    return change


def other_figure(html, report):
    """A page on which a number of report.json is another one, wherever it stands."""
    section = report["casebased"][0]
    value = next(e["value"] for _, e in checks_of_report.estimates(section) if e["value"] is not None)
    changed = html.replace(f'data-value="{json.dumps(value)}"', 'data-value="0.123456"')
    return changed if changed != html else None


WRONG_NUMBER = without(r'(data-value="0\.\d+"[^>]*>(?:<\w+[^>]*>)*0\.\d\d)(\d)(?=\d)',
                       lambda found: f"{found[1]}{(int(found[2]) + 1) % 10}")
SAYS_SOMETHING = without("</body>", '<script>console.error("broken")</script></body>')
ASKS_FOR_AN_IMAGE = without("<meta http-equiv[^>]*>(.*)</body>",
                            r'\1<img alt="" src="http://127.0.0.1:9/outside.png"></body>')
NO_CAPTION = without(r"<figcaption.*?</figcaption>")
NO_NAME = without(r'(<svg[^>]*) aria-labelledby="[^"]*"([^>]*>)\s*<title.*?</title>', r"\1\2")
NO_TABLE_BEHIND = without(r'(<figure.*?</figure>\s*)<details.*?</details>', r"\1")
TOO_WIDE = without("</h1>", '</h1><div style="width: 600px">wide</div>')
NOT_SORTED = without(r"a - b", "b - a")
UNDEFINED_FIRST = both(without(r"\(a === null\) - \(b === null\)", "(b === null) - (a === null)"),
                       without(r'(<table class="sortable">.*?<td[^>]*data-value=")[^"]*', r"\1"))
ENTER_DOES_NOTHING = without("</body>", '<script>addEventListener("keydown", (e) => e.preventDefault())</script></body>')
NO_HINTS = without('"pointermove"', '"never"')
ONLY_WITH_SCRIPT = without("</head>", "<noscript><style>main { display: none }</style></noscript></head>")
NO_ALTERNATIVE = without("</h1>", '</h1><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">')
NOT_PRINTED = without("</style>", "@media print { body { display: none } }</style>")
SLOW = without("</body>", "<script>for (const t = performance.now(); performance.now() - t < 1100;);</script></body>")

BROKEN = [
    ("a wrong number", WRONG_NUMBER, checks_of_report.shown_numbers),
    ("a number that report.json has not", other_figure, checks_of_report.figures_of_sections),
    ("a finding that leads nowhere", without(r'(class="sentence".*?href="#)[^"]*', r"\1nowhere"), checks_of_report.findings),
    ("a finding of other words", without(r'(class="sentence">(?:<bdi[^>]*>)?).', r"\1"), checks_of_report.findings),
    ("a word on the console", SAYS_SOMETHING, checks_of_page.console),
    ("an image of another place", ASKS_FOR_AN_IMAGE, checks_of_page.requests),
    ("a slow page", SLOW, checks_of_page.speed),
    ("a page too wide", TOO_WIDE, checks_of_page.width),
    ("a page that only script shows", ONLY_WITH_SCRIPT, checks_of_page.without_script),
    ("an image without alternative", NO_ALTERNATIVE, checks_of_page.accessibility),
    ("a page that does not print", NOT_PRINTED, checks_of_page.printing),
    ("a missing caption", NO_CAPTION, checks_of_parts.pictures),
    ("a picture without name", NO_NAME, checks_of_parts.pictures),
    ("a picture without table", NO_TABLE_BEHIND, checks_of_parts.pictures),
    ("a wrong order", NOT_SORTED, checks_of_parts.sorting),
    ("undefined values first", UNDEFINED_FIRST, checks_of_parts.sorting),
    ("a head that Enter does not press", ENTER_DOES_NOTHING, checks_of_parts.sorting),
    ("a picture without hints", NO_HINTS, checks_of_parts.hints),
]


RUN = without(r"&lt;script&gt;window\.__hostile=1;.*?&lt;/script&gt;", "<script>window.__hostile = 1;</script>")
BROKEN_NAMES = [
    ("a name that runs", RUN, checks_of_names.names_are_text),
    ("a name that is an element", without(r"&lt;b&gt;bold&lt;/b&gt;", "<b>bold</b>", count=0), checks_of_names.names_are_text),
    ("a name that turns the text", without(r"\\u\{202e\}", "\u202e"), checks_of_names.names_are_text),
    ("a name that acts as title", without(r"<title>.*?</title>", "<title>run</title>"), checks_of_names.names_are_text),
]


def run(folder, broken_copies, browser, axe, pdftotext):
    """What the checks do not find in broken copies of the page of a folder."""
    html = (folder / "index.html").read_text(encoding="utf-8")
    page = Page.beside(folder, browser, axe, pdftotext, "broken.html")
    problems, as_it_is = [], {}
    page.file.write_text(html, encoding="utf-8")
    for check in dict.fromkeys(check for _, _, check in broken_copies):
        page.open(400, "light")
        as_it_is[check] = set(check(page))
    for name, change, check in broken_copies:
        if check is checks_of_page.accessibility and axe is None:
            continue
        broken = change(html, page.report)
        if broken is None:
            problems.append(f"{name}: the page has nothing that could be broken so")
            continue
        page.file.write_text(broken, encoding="utf-8")
        page.open(400, "light")
        # What is found of the page as it is does not count.
        if set(check(page)) <= as_it_is[check]:
            problems.append(f"{name} is not found by the check {check.__name__}")
    page.file.unlink(missing_ok=True)
    return problems
