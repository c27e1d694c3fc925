//! Numbers, names and tables of the page.

pub(crate) mod number;
pub(crate) mod table;

use maud::{Markup, html};

pub(crate) use table::{Cell, MOST_ROWS, Table, row, undefined};

/// Characters of a name from which on a table may cut it short.
const LONG: usize = 80;

/// A name from a file, whose direction of writing stays its own.
pub(crate) fn name(text: &str) -> Markup {
    // A table cuts long names short; the whole of it is shown on hover.
    let title = (text.chars().count() > LONG).then_some(text);
    html! { bdi title=[title] { (text) } }
}

/// A head of a column with a smaller line below.
pub(crate) fn head(title: Markup, note: Markup) -> Markup {
    html! { div { (title) small.note { (note) } } }
}
