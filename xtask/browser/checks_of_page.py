"""Checks of the page as a whole: quiet, fast, no wider than the window, accessible, printable, whole without script."""

import base64
import json
import re
import subprocess
import tempfile

from page import WIDTHS
from shown import folded, visible

# Seconds in which a page is there.
LONGEST = 1.0
# How often a slow page is measured.
MOST_TIMES = 5


def console(page):
    """Nothing is said on the console."""
    loud = [entry for entry in page.browser.log("browser") if entry["level"] in ("WARNING", "SEVERE")]
    return [f"{entry['level'].lower()}: {entry['message']}" for entry in loud]


def requests(page):
    """Nothing is asked for but the file itself."""
    asked = []
    for entry in page.browser.log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            asked.append(message["params"]["request"]["url"].split("#")[0])
    others = [url for url in asked if url != page.address and not url.startswith(("data:", "about:"))]
    return [f"asks for {url}" for url in others] + ([] if page.address in asked else ["the log has no request at all"])


def speed(page):
    """It is there in a second. A busy machine makes any page slow, so only one that is never there in time fails."""
    times = []
    while len(times) < MOST_TIMES and (not times or times[-1] > LONGEST):
        if times:
            page.browser.open(page.address)
        times.append(page.browser.run("return performance.getEntriesByType('navigation')[0].loadEventEnd") / 1000)
    shown = ", then ".join(f"{time:.3f} s" for time in times)
    print(f"  {page.file.parent.name} opens in {shown}")
    return [f"opens in {shown}"] if min(times) > LONGEST else []


def width(page):
    """The page does not scroll sideways."""
    page.browser.run(OPEN_ALL)
    measured = page.browser.run(WIDE_ELEMENTS)
    if "wide" not in measured:
        return []
    return [f"{measured['page']} px wide in a window of {measured['window']} px: {measured['wide']}"]


OPEN_ALL = "document.querySelectorAll('details').forEach((details) => { details.open = true; });"

WIDE_ELEMENTS = """
const [page, window_] = [document.scrollingElement.scrollWidth, document.documentElement.clientWidth];
if (page <= window_) { return { page, window: window_ }; }
const scrolls = (e) => e && e !== document.body && (getComputedStyle(e).overflowX !== 'visible' || scrolls(e.parentElement));
const wide = [...document.body.querySelectorAll('*')].filter((e) =>
  e.getBoundingClientRect().right > window_ + 0.5 && !scrolls(e.parentElement) && !e.closest('svg svg, svg *'));
return { page, window: window_,
  wide: wide.slice(0, 3).map((e) => `${e.tagName}.${e.className} ${e.textContent.trim().slice(0, 40)}`).join('; ') };
"""


def accessibility(page):
    """axe-core finds no violation, with everything unfolded."""
    if page.axe is None:
        return []
    page.browser.run(OPEN_ALL + THINNED)
    # Contrast takes the most time, and does not depend on the width.
    violations = page.browser.run(page.axe + AXE, page.width == WIDTHS[0])
    return [f"{v['id']} ({v['impact']}), {len(v['nodes'])} times: {v['help']}, as in {v['nodes'][0]['html'][:160]}"
            + (f": {v['nodes'][0]['why']}" if v["nodes"][0]["why"] else "") for v in violations]


# What a picture is drawn with is nothing to a screen reader, and rows, numbers behind pictures and texts on axes
# are alike: without most of them axe-core takes seconds instead of minutes.
THINNED = """
const rest = (all, n) => [...all].slice(n).forEach((e) => e.remove());
rest(document.querySelectorAll('details.numbers'), 8);
document.querySelectorAll('figure svg[role=img]').forEach((svg) => {
  rest(svg.querySelectorAll('path, line, circle, rect, polygon, polyline, image'), 0);
  rest(svg.querySelectorAll('text'), 4);
});
document.querySelectorAll('tbody').forEach((body) => rest(body.rows, 2));
document.querySelectorAll('tr').forEach((row) => rest(row.cells, 6));
"""

AXE = """;
const rules = { 'color-contrast': { enabled: arguments[0] } };
return axe.run(document, { rules, preload: false, iframes: false, resultTypes: ['violations'] }).then(({ violations }) =>
  violations.map(({ id, impact, help, nodes }) => ({ id, impact, help,
    nodes: nodes.map((node) => ({ html: node.html, why: node.any.concat(node.all, node.none).map((c) => c.message)[0] })) })));
"""


def printing(page):
    """It prints on more than two pages, with the title."""
    # The same as the protocol's own command, which gives a long page on a busy machine too little time.
    pdf = base64.b64decode(page.browser.tools("Page.printToPDF")["data"])
    n_pages = len(re.findall(rb"/Type\s*/Page\b", pdf))
    problems = [] if n_pages > 2 else [f"{n_pages} printed pages"]
    if page.pdftotext:
        with tempfile.NamedTemporaryFile(suffix=".pdf") as file:
            file.write(pdf)
            file.flush()
            text = subprocess.run([page.pdftotext, file.name, "-"], capture_output=True, check=True).stdout.decode()
        title = folded(visible(page.report["title"]))
        # A title of several lines may be broken inside a word.
        if title.replace(" ", "") not in "".join(text.split()):
            problems.append(f"the printed text has no {title!r}")
    return problems


CONTENT = """
const seen = (selector) => [...document.querySelectorAll(selector)].filter((e) => e.checkVisibility()).length;
return { findings: seen('.findings li'), tables: document.querySelectorAll('table').length,
  rows: document.querySelectorAll('tbody tr').length, pictures: seen('figure svg, figure img'),
  marks: document.querySelectorAll('svg *:not(desc):not(title)').length, images: document.images.length,
  text: document.querySelector('main').innerText.length };
"""


def without_script(page):
    """Without script the page has the same findings, tables and pictures."""
    page.browser.open(page.address)
    there = page.browser.run(CONTENT)
    page.browser.tools("Emulation.setScriptExecutionDisabled", value=True)
    try:
        page.browser.open(page.address)
        buttons = page.browser.run("return document.querySelectorAll('thead button').length")
        bare = page.browser.run(CONTENT)
    finally:
        page.browser.tools("Emulation.setScriptExecutionDisabled", value=False)
        page.browser.open(page.address)
    problems = [f"{bare[what]} {what} instead of {n}" for what, n in there.items() if bare[what] < 0.99 * n]
    problems += [f"no {what}" for what in ("findings", "tables", "pictures") if bare[what] == 0]
    # Without this the check would compare a page with script to itself.
    return problems + (["the script ran although it was switched off"] if buttons else [])
