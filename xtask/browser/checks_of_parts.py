"""Checks of the parts of the page: tables that can be sorted, pictures that can be read without being seen."""

from webdriver import ELEMENT

SORT = """
const collator = (a, b) => a.localeCompare(b, 'en', { numeric: true });
const problems = [];
let n = 0;
for (const table of document.querySelectorAll('table.sortable')) {
  const body = table.tBodies[0];
  if (body.rows.length < 2) { continue; }
  const called = (table.caption?.textContent ?? 'a table').slice(0, 60);
  const heads = [...table.tHead.rows[0].cells];
  const rows = new Set(body.rows);
  heads.forEach((head, column) => {
    const where = `${called}, column ${head.textContent.trim().slice(0, 30)}`;
    const button = head.querySelector('button');
    if (!button) { problems.push(`${where}: no button`); return; }
    n += 1;
    for (const [way, sign] of [['ascending', 1], ['descending', -1]]) {
      button.click();
      if (head.getAttribute('aria-sort') !== way) { problems.push(`${where}: aria-sort is not ${way}`); }
      if (heads.some((other) => other !== head && other.hasAttribute('aria-sort'))) {
        problems.push(`${where}: another column has aria-sort, too`);
      }
      if (body.rows.length !== rows.size || [...body.rows].some((row) => !rows.has(row))) {
        problems.push(`${where}: rows are lost`);
      }
      const cells = [...body.rows].map((row) => row.cells[column]);
      const exact = cells.map((cell) => cell.getAttribute('data-value'));
      const has = exact.filter((value) => value !== null).length;
      if (has !== 0 && has !== cells.length) { problems.push(`${where}: some cells lack data-value`); return; }
      for (let i = 1; i < cells.length; i++) {
        const [a, b] = [exact[i - 1], exact[i]];
        const wrong = a === null
          ? sign * collator(cells[i - 1].textContent.trim(), cells[i].textContent.trim()) > 0
          : a === '' ? b !== '' : b !== '' && sign * (Number(a) - Number(b)) > 0;
        if (wrong) { problems.push(`${where}: not ${way} at row ${i + 1}`); break; }
      }
    }
  });
}
return { problems, n };
"""

# One script makes all tables sortable, so keys are pressed on the heads of some of them.
FIRST_HEADS = """
const MOST = 8;
const buttons = [...document.querySelectorAll('table.sortable')].map((table) => table.querySelector('thead button')).filter((b) => b);
const chosen = buttons.filter((_, place) => place % Math.ceil(buttons.length / MOST) === 0);
for (const button of chosen) {
  for (let e = button.closest('details'); e; e = e.parentElement.closest('details')) { e.open = true; }
}
return chosen;
"""


def sorting(page):
    """A click on a head sorts up, another one down, what is undefined last; Enter does the same."""
    page.browser.open(page.address)
    clicked = page.browser.run(SORT)
    problems = clicked["problems"] + ([] if clicked["n"] else ["no table can be sorted"])
    page.browser.open(page.address)
    for button in page.browser.run(FIRST_HEADS):
        for way in ("ascending", "descending"):
            page.browser.press_enter(button)
            state = page.browser.run("return [arguments[0].closest('th').getAttribute('aria-sort'), "
                                     "arguments[0].closest('table').caption.textContent]", button)
            if state[0] != way:
                problems.append(f"Enter on a head of {state[1][:60]!r}: {state[0]} instead of {way}")
    return problems


FIGURES = """
return [...document.querySelectorAll('figure')].map((figure) => {
  const behind = [...(figure.closest('.picture') ?? figure).querySelectorAll('details table tbody tr')];
  return { picture: figure.querySelector('svg[role=img], img'), caption: figure.querySelector('figcaption')?.textContent.trim() ?? '',
    called: figure.textContent.trim().slice(0, 60), rows: behind.length };
});
"""

UNNAMED = """
return [...document.querySelectorAll('svg, img')].filter((e) => !e.closest('figure') && !e.parentElement.closest('svg')
  && !e.closest('[aria-hidden=true]')).map((e) => ({ element: e, html: e.outerHTML.slice(0, 120) }));
"""


def pictures(page):
    """Every picture has a name for those who do not see it, a caption, and a table behind it."""
    figures, problems = page.browser.run(FIGURES), []
    for figure in figures:
        if not figure["picture"]:
            problems.append(f"no picture in {figure['called']!r}")
        elif not page.browser.label(figure["picture"]).strip():
            problems.append(f"no accessible name: {figure['called']!r}")
        if not figure["caption"]:
            problems.append(f"no caption: {figure['called']!r}")
        if not figure["rows"]:
            problems.append(f"no table behind {figure['called']!r}")
    for other in page.browser.run(UNNAMED):
        if not page.browser.label(other["element"]).strip():
            problems.append(f"no accessible name: {other['html']}")
    return problems or ([] if figures else ["the page has no picture"])


MARKS = """
return [...document.querySelectorAll('figure svg[role=img]')].map((svg) => {
  const marks = [...svg.querySelectorAll('title')].filter((title) => title.parentNode !== svg);
  return marks.slice(0, 40).map((title) => [title.parentNode, title.textContent]);
}).filter((marks) => marks.length);
"""

# A place of the window where the pointer is on the mark, or nothing where other marks lie over all of it.
PLACE = """
const mark = arguments[0];
mark.scrollIntoView({ block: 'center', behavior: 'instant' });
const box = mark.getBoundingClientRect();
for (const [across, down] of [[.5, .5], [.25, .5], [.75, .5], [.5, .25], [.5, .75], [.5, .05], [.05, .5]]) {
  const [x, y] = [Math.round(box.left + across * box.width), Math.round(box.top + down * box.height)];
  const hit = document.elementFromPoint(x, y);
  if (hit && mark.contains(hit)) { return [x, y]; }
}
return null;
"""

HINT = "const hint = document.getElementById('hint'); return hint && hint.checkVisibility() ? hint.textContent : null;"


def hints(page):
    """A mark of a picture tells its value under the pointer, and with the keyboard if it can be focused."""
    page.browser.open(page.address)
    problems, n_pictures = [], 0
    for marks in page.browser.run(MARKS):
        n_pictures += 1
        for mark, text in marks:
            place = page.browser.run(PLACE, mark)
            if place is None:
                continue
            page.browser.point_at(0, 0)
            page.browser.point_at(*place)
            shown = page.browser.run(HINT)
            if shown != text:
                problems.append(f"{shown!r} is shown under the pointer and not {text!r}")
            break
        else:
            problems.append(f"no mark can be pointed at, as {marks[0][1]!r}")
    for mark in page.browser.run("return [...document.querySelectorAll('figure svg [tabindex=\"0\"]')].slice(0, 5)"):
        page.browser.run("arguments[0].focus()", mark)
        if not page.browser.run(HINT):
            problems.append(f"nothing is shown for a focused mark, {mark[ELEMENT]}")
    return problems or ([] if n_pictures else ["no picture has marks that tell values"])
