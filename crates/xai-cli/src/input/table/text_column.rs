//! A column of text.

/// The cells of a column, one behind the other in one string.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TextColumn {
    text: String,
    ends: Vec<usize>,
}

impl TextColumn {
    pub(super) fn push(&mut self, cell: &str) {
        self.text.push_str(cell);
        self.ends.push(self.text.len());
    }

    pub(crate) fn append(&mut self, below: &Self) {
        let before = self.text.len();
        self.text.push_str(&below.text);
        self.ends.extend(below.ends.iter().map(|end| before + end));
    }

    /// The cell of a row.
    pub(crate) fn get(&self, row: usize) -> &str {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[row]]
    }

    /// The cells from top to bottom.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len()).map(|row| self.get(row))
    }

    /// Keeps the cells of some rows.
    pub(crate) fn retain(&mut self, keep: &[bool]) {
        let mut kept = Self::default();
        for (cell, _) in self.iter().zip(keep).filter(|(_, keep)| **keep) {
            kept.push(cell);
        }
        *self = kept;
    }
}
