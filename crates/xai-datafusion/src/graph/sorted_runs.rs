//! Sorted numbers in files that have no name.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use datafusion::common::{Result, exec_err};

/// Numbers that are read at a time.
const BLOCK: usize = 8192;

/// A file of sorted numbers; it is gone from the disk when the last segment of it is.
#[derive(Debug)]
struct Run(Mutex<File>);

/// A sorted part of a file.
#[derive(Debug, Clone)]
pub(crate) struct Segment {
    run: Arc<Run>,
    /// In numbers.
    start: u64,
    len: u64,
}

/// Writes sorted lists one after the other, in a file of their own.
pub(crate) fn write_run<'a>(lists: impl Iterator<Item = &'a [u64]>) -> Result<Vec<Segment>> {
    let mut file = BufWriter::new(tempfile::tempfile()?);
    let mut places = Vec::new();
    let mut start = 0;
    for list in lists {
        for number in list {
            file.write_all(&number.to_le_bytes())?;
        }
        places.push((start, list.len() as u64));
        start += list.len() as u64;
    }
    let file = file.into_inner().map_err(|error| error.into_error())?;
    let run = Arc::new(Run(Mutex::new(file)));
    let segment = |(start, len)| Segment {
        run: Arc::clone(&run),
        start,
        len,
    };
    Ok(places.into_iter().map(segment).collect())
}

/// The numbers of a segment, in order.
pub(crate) struct SegmentReader {
    segment: Segment,
    block: Vec<u8>,
    at: usize,
}

impl SegmentReader {
    pub(crate) fn new(segment: Segment) -> Self {
        let block = Vec::new();
        Self {
            segment,
            block,
            at: 0,
        }
    }

    pub(crate) fn next(&mut self) -> Result<Option<u64>> {
        if self.at == self.block.len() {
            let n = self.segment.len.min(BLOCK as u64);
            if n == 0 {
                return Ok(None);
            }
            self.block.resize(n as usize * 8, 0);
            let mut file = self
                .segment
                .run
                .0
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            file.seek(SeekFrom::Start(self.segment.start * 8))?;
            file.read_exact(&mut self.block)?;
            self.segment.start += n;
            self.segment.len -= n;
            self.at = 0;
        }
        let (number, _) = self.block[self.at..]
            .split_first_chunk()
            .expect("whole numbers");
        self.at += 8;
        Ok(Some(u64::from_le_bytes(*number)))
    }
}

/// Segments on their way from one stage of a query to the next, within this process.
#[derive(Default)]
struct Passed {
    next: u64,
    segments: HashMap<u64, Vec<Segment>>,
}

fn passed() -> &'static Mutex<Passed> {
    static PASSED: OnceLock<Mutex<Passed>> = OnceLock::new();
    PASSED.get_or_init(Mutex::default)
}

/// Random number that identifies this process, drawn once.
fn process() -> u64 {
    use std::hash::{BuildHasher, Hasher, RandomState};
    static PROCESS: OnceLock<u64> = OnceLock::new();
    *PROCESS.get_or_init(|| RandomState::new().build_hasher().finish())
}

/// A ticket for segments, which are handed out for it once.
pub(crate) fn pass(segments: Vec<Segment>) -> [u64; 2] {
    let mut passed = passed().lock().unwrap_or_else(PoisonError::into_inner);
    let ticket = passed.next;
    passed.next += 1;
    passed.segments.insert(ticket, segments);
    [process(), ticket]
}

/// The segments of a ticket.
pub(crate) fn take(function: &str, [of, ticket]: [u64; 2]) -> Result<Vec<Segment>> {
    let mut passed = passed().lock().unwrap_or_else(PoisonError::into_inner);
    let segments = if of == process() {
        passed.segments.remove(&ticket)
    } else {
        None
    };
    match segments {
        Some(segments) => Ok(segments),
        None => exec_err!(
            "{function}: scores that were written to disk lie in another process, or were read before; register the \
             functions for several processes, give more memory as the fourth argument, or use groundtruth_auroc_binned"
        ),
    }
}
