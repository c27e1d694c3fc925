//! Rendering of numbers, names and tables on the page.

pub(crate) mod number;
pub(crate) mod table;

use maud::{Markup, html};

pub(crate) use table::{Cell, MAX_ROWS, Table, row, undefined};

/// Number of characters above which a table may truncate a name.
const LONG: usize = 80;

/// Renders a name from a file, isolated so that its writing direction does not affect the text around it.
pub(crate) fn name(text: &str) -> Markup {
    // Tables truncate long names by CSS, so the full name is shown on hover.
    let title = (text.chars().count() > LONG).then_some(text);
    html! { bdi title=[title] { (text) } }
}

/// Renders the header of a column with a smaller line below.
pub(crate) fn head(title: Markup, note: Markup) -> Markup {
    html! { div { (title) small.note { (note) } } }
}
