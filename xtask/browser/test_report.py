"""The report of `xai` as a person meets it: in a browser, wide and narrow, light and dark, and broken on purpose."""

import json
import re

import checks
import pytest
from conftest import STUDIES

# In this order: the logs are read before anything else is done, and the last takes parts of the page away.
EVERY_LOOK = [checks.console, checks.requests, checks.shown_numbers, checks.width, checks.accessibility, checks.console]
ONE_LOOK = [checks.speed, checks.figures_of_sections, checks.findings, checks.pictures, checks.hints, checks.sorting,
            checks.without_script, checks.printing]


@pytest.mark.parametrize("study", STUDIES)
@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_look(page, width, scheme):
    page.open(width, scheme)
    for check in EVERY_LOOK:
        check(page)


@pytest.mark.parametrize("study, check", [*((s, c) for s in STUDIES for c in ONE_LOOK), ("hostile", checks.names_are_text)])
def test_one_look(page, check):
    page.open()
    check(page)
    checks.console(page)  # the check itself was quiet, too


def one_up(found):
    """A shown number with another digit."""
    return f"{found[1]}{(int(found[2]) + 1) % 10}"


# What is replaced on a page, by what, and the check that must find it.
BROKEN = {
    "a wrong number": ("small", r'(data-value="0\.\d+"[^>]*>(?:<\w+[^>]*>)*0\.\d\d)(\d)(?=\d)', one_up, checks.shown_numbers),
    "another finding": ("small", r'(class="sentence">(?:<bdi[^>]*>)?).', r"\1", checks.findings),
    "a finding that leads nowhere": ("small", r'(class="sentence".*?href="#)[^"]*', r"\1top", checks.findings),
    "a word on the console": ("small", "</body>", '<script>console.error("broken")</script></body>', checks.console),
    "an image of another place": ("small", "<meta http-equiv[^>]*>(.*)</body>", r'\1<img alt="" src="http://127.0.0.1:9/a.png"></body>',
                                  checks.requests),
    "a page too wide": ("small", "</h1>", '</h1><div style="width: 2000px">wide</div>', checks.width),
    "an image without alternative": ("small", "</h1>", '</h1><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">', checks.accessibility),
    "a slow page": ("small", "</body>", "<script>for (const t = performance.now(); performance.now() - t < 1100;);</script></body>",
                    checks.speed),
    "a page that only script shows": ("small", "</head>", "<noscript><style>main { display: none }</style></noscript></head>",
                                      checks.without_script),
    "a page that does not print": ("small", "</style>", "@media print { body { display: none } }</style>", checks.printing),
    "a missing caption": ("small", r"<figcaption.*?</figcaption>", "", checks.pictures),
    "a picture without name": ("small", r'(<svg[^>]*) aria-labelledby="[^"]*"([^>]*>)\s*<title.*?</title>', r"\1\2", checks.pictures),
    "a picture without hints": ("small", '"pointermove"', '"never"', checks.hints),
    "a wrong order": ("small", "a - b", "b - a", checks.sorting),
    "a head that Enter does not press": ("small", "</body>", '<script>addEventListener("keydown", (e) => e.preventDefault())</script></body>',
                                         checks.sorting),
    "a name that runs": ("hostile", r"&lt;script&gt;window\.__hostile=1;.*?&lt;/script&gt;", "<script>window.__hostile = 1;</script>",
                         checks.names_are_text),
    "a name that turns the text": ("hostile", r"\\u\{202e\}", "\u202e", checks.names_are_text),
}


@pytest.mark.parametrize("study, pattern, new, check", BROKEN.values(), ids=BROKEN)
def test_a_broken_copy_is_found(page, pattern, new, check):
    broken, n = re.subn(pattern, new, page.file.read_text(encoding="utf-8"), count=1, flags=re.DOTALL)
    assert n == 1, "the page has nothing that could be broken so"
    page.file = page.file.with_name("broken.html")
    page.file.write_text(broken, encoding="utf-8")
    with pytest.raises(AssertionError):
        page.open()
        check(page)


@pytest.mark.parametrize("study", ["small"])
def test_a_missing_number_is_found(page):
    value = next(e["value"] for e in checks.estimates(page.report["casebased"]) if e["value"] is not None)
    html = page.file.read_text(encoding="utf-8").replace(f'data-value="{json.dumps(value)}"', 'data-value="0.123456"')
    page.file = page.file.with_name("broken.html")
    page.file.write_text(html, encoding="utf-8")
    page.open()
    with pytest.raises(AssertionError):
        checks.figures_of_sections(page)
