"use strict";
(() => {
  // Tables: a button in each head; undefined values stay last whichever way a table is sorted.
  const value = (row, column) => {
    const cell = row.cells[column];
    const exact = cell.getAttribute("data-value");
    if (exact === null) { return cell.textContent.trim(); }
    return exact === "" ? null : Number(exact);
  };
  const compare = (a, b) => typeof a === "number" && typeof b === "number"
    ? a - b
    : String(a).localeCompare(String(b), "en", { numeric: true });
  const sort = (table, column, direction) => {
    const body = table.tBodies[0];
    const rows = Array.from(body.rows, (row) => [value(row, column), row]);
    rows.sort(([a], [b]) => {
      if (a === null || b === null) { return (a === null) - (b === null); }
      return direction * compare(a, b);
    });
    body.append(...rows.map(([, row]) => row));
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    if (table.tBodies[0].rows.length < 2) { continue; }
    const heads = Array.from(table.tHead.rows[0].cells);
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const ascending = head.getAttribute("aria-sort") !== "ascending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
        sort(table, column, ascending ? 1 : -1);
      });
    });
  }

  // Pictures: the text of a mark under the pointer, at once instead of the browser's own after a while.
  const hint = document.getElementById("hint");
  const texts = new WeakMap();
  const take = (svg) => {
    if (texts.has(svg)) { return; }
    texts.set(svg, "");
    for (const title of svg.querySelectorAll("title")) {
      if (title.parentNode === svg) {
        // Names the picture for screen readers; as a description it does so without a browser's hint.
        const name = document.createElementNS(svg.namespaceURI, "desc");
        name.id = title.id;
        name.textContent = title.textContent;
        title.replaceWith(name);
      } else {
        texts.set(title.parentNode, title.textContent);
        title.remove();
      }
    }
  };
  const show = (event) => {
    const svg = event.target.closest ? event.target.closest("figure svg[role=img]") : null;
    let text = "";
    if (svg) {
      take(svg);
      for (let mark = event.target; mark && mark !== svg && !text; mark = mark.parentNode) {
        text = texts.get(mark) || "";
      }
    }
    hint.hidden = !text;
    if (!text) { return; }
    hint.textContent = text;
    const box = hint.getBoundingClientRect();
    const room = document.documentElement;
    const left = Math.min(event.clientX + 14, room.clientWidth - box.width - 4);
    const below = event.clientY + 18;
    const top = below + box.height > room.clientHeight ? event.clientY - box.height - 10 : below;
    hint.style.left = Math.max(left, 4) + "px";
    hint.style.top = Math.max(top, 4) + "px";
  };
  document.addEventListener("pointermove", show);
  document.addEventListener("pointerdown", show);
  document.addEventListener("scroll", () => { hint.hidden = true; }, { passive: true });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") { hint.hidden = true; } });

  // Print: everything that is folded is opened, for browsers whose style sheets cannot.
  let opened = [];
  window.addEventListener("beforeprint", () => {
    opened = Array.from(document.querySelectorAll("details:not([open])"));
    opened.forEach((details) => { details.open = true; });
  });
  window.addEventListener("afterprint", () => {
    opened.forEach((details) => { details.open = false; });
    opened = [];
  });
})();
