//! The bytes of a table in blocks of whole records.

use std::io::Read;

use memchr::{memchr, memchr2, memrchr};

/// The record that a cell in quotes has no end in, as far as the file goes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct OpenQuote;

/// Reads blocks that end where a record ends, whatever is in quotes.
#[derive(Debug)]
pub(super) struct Blocks<R> {
    from: R,
    /// Bytes that are read and not handed out: the start of a record, or more.
    pending: Vec<u8>,
    at_end: bool,
    /// Bytes that were handed out.
    handed_out: u64,
}

impl<R: Read> Blocks<R> {
    pub(super) fn new(from: R) -> Self {
        Self {
            from,
            pending: Vec::new(),
            at_end: false,
            handed_out: 0,
        }
    }

    /// Bytes of the file up to the end of what was handed out.
    pub(super) fn handed_out(&self) -> u64 {
        self.handed_out
    }

    /// Everything that is read but not handed out, at least `size` bytes where there are so many.
    pub(super) fn peek(&mut self, size: usize) -> std::io::Result<&[u8]> {
        self.fill(size)?;
        Ok(&self.pending)
    }

    /// Whether what [`peek`](Self::peek) shows is all there is.
    pub(super) fn at_end(&self) -> bool {
        self.at_end
    }

    /// Hands out so many bytes.
    pub(super) fn skip(&mut self, n: usize) {
        self.pending.drain(..n);
        self.handed_out += n as u64;
    }

    fn fill(&mut self, size: usize) -> std::io::Result<()> {
        if !self.at_end && self.pending.len() < size {
            let missing = size - self.pending.len();
            let read = self
                .from
                .by_ref()
                .take(missing as u64)
                .read_to_end(&mut self.pending)?;
            self.at_end = read < missing;
        }
        Ok(())
    }

    /// The next whole records, about `size` bytes of them, with the ends of parts of at least `part`
    /// bytes each; more where a single record is longer. `None` at the end.
    pub(super) fn next(
        &mut self,
        separator: u8,
        size: usize,
        part: usize,
    ) -> std::io::Result<Option<Result<Block, OpenQuote>>> {
        let mut size = size.max(1);
        loop {
            self.fill(size)?;
            if self.pending.is_empty() {
                return Ok(None);
            }
            let mut ends = record_ends(&self.pending, separator, part);
            if self.at_end {
                if ends.in_quotes {
                    return Ok(Some(Err(OpenQuote)));
                }
                if ends.parts.last() != Some(&self.pending.len()) {
                    ends.parts.push(self.pending.len());
                }
            }
            if let Some(&end) = ends.parts.last() {
                let rest = self.pending.split_off(end);
                let bytes = std::mem::replace(&mut self.pending, rest);
                self.handed_out += bytes.len() as u64;
                return Ok(Some(Ok(Block {
                    bytes,
                    ends: ends.parts,
                })));
            }
            size = 2 * self.pending.len();
        }
    }
}

/// Whole records.
#[derive(Debug)]
pub(super) struct Block {
    bytes: Vec<u8>,
    /// Where its parts end.
    ends: Vec<usize>,
}

impl Block {
    /// Parts that are whole records each.
    pub(super) fn parts(&self) -> Vec<&[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let ranges = starts.zip(&self.ends);
        ranges
            .map(|(start, &end)| &self.bytes[start..end])
            .collect()
    }
}

struct RecordEnds {
    /// Ends of records, at least so many bytes apart; the last is the last there is.
    parts: Vec<usize>,
    /// Whether a cell in quotes begins after the last record and does not end.
    in_quotes: bool,
}

/// Where records end in bytes that begin with a record.
///
/// Quotes count where they begin a cell, as in the parser of the records.
fn record_ends(bytes: &[u8], separator: u8, part: usize) -> RecordEnds {
    let mut parts = Vec::new();
    let (mut last, mut at) = (0, 0);
    if memchr(b'"', bytes).is_none() {
        while bytes.len() - last > part {
            match memchr(b'\n', &bytes[last + part..]) {
                Some(end) => {
                    last += part + end + 1;
                    parts.push(last);
                }
                None => break,
            }
        }
        if let Some(end) = memrchr(b'\n', &bytes[last..]) {
            parts.push(last + end + 1);
        }
        return RecordEnds {
            parts,
            in_quotes: false,
        };
    }
    let mut end = 0;
    let mut in_quotes = false;
    while let Some(found) = memchr2(b'"', b'\n', &bytes[at..]) {
        let here = at + found;
        at = here + 1;
        if bytes[here] == b'\n' {
            end = at;
            if end - last >= part {
                parts.push(end);
                last = end;
            }
        } else if here == 0 || [separator, b'\n', b'\r'].contains(&bytes[here - 1]) {
            match end_of_quoted(bytes, at) {
                Some(after) => at = after,
                None => {
                    in_quotes = true;
                    break;
                }
            }
        }
    }
    if end > last {
        parts.push(end);
    }
    RecordEnds { parts, in_quotes }
}

/// Where a cell in quotes ends that begins at `at`; a quote within is written twice.
fn end_of_quoted(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        let quote = at + memchr(b'"', &bytes[at..])?;
        if bytes.get(quote + 1) != Some(&b'"') {
            return Some(quote + 1);
        }
        at = quote + 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(text: &str, size: usize) -> Vec<String> {
        let mut blocks = Blocks::new(text.as_bytes());
        let mut all = Vec::new();
        while let Some(block) = blocks.next(b',', size, 1).unwrap() {
            let block = block.unwrap();
            all.extend(
                block
                    .parts()
                    .iter()
                    .map(|part| String::from_utf8(part.to_vec()).unwrap()),
            );
        }
        assert_eq!(blocks.handed_out(), text.len() as u64);
        all
    }

    #[test]
    fn blocks_end_with_records_for_any_size() {
        let text = "a,b\n1,\"x\ny\"\n\"\"\"\n\",2\r\n3,4\"\n5,\"6\"";
        let records = [
            "a,b\n",
            "1,\"x\ny\"\n",
            "\"\"\"\n\",2\r\n",
            "3,4\"\n",
            "5,\"6\"",
        ];
        for size in 1..40 {
            let all = blocks(text, size);
            assert_eq!(all.concat(), text, "{size}");
            let mut at = 0;
            let starts: Vec<usize> = records
                .iter()
                .map(|record| {
                    at += record.len();
                    at
                })
                .collect();
            let mut end = 0;
            for block in &all {
                end += block.len();
                assert!(starts.contains(&end), "{size}: {block:?}");
            }
        }
        assert_eq!(blocks("a\n1\n2\n3\n", 1000).len(), 4);
        assert!(blocks("", 10).is_empty());
    }

    #[test]
    fn a_cell_that_never_ends_is_told() {
        let mut blocks = Blocks::new(&b"a,\"b\n1,2\n"[..]);
        assert_eq!(
            blocks.next(b',', 3, 1).unwrap().unwrap().unwrap_err(),
            OpenQuote
        );
    }
}
