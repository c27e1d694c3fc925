//! The area under the ROC curve, exact.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, Float64Array, LargeBinaryBuilder};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result;
use serde::{Deserialize, Serialize};
use xai_core::Real;
use xai_core::describe::Parameters;
use xai_core::number::sort_keys;
use xai_graph::GroundTruthMetric;
use xai_graph::ground_truth::OrderedPairs;

use crate::aggregate::{Definition, Groups, Rows, bytes_state, read, stored, take_first};
use crate::function::{Argument, Call, Kind, Stages};
use crate::graph::ground_truth::for_each_element;
use crate::graph::sorted_runs::{Segment, SegmentReader, pass, take, write_run};

/// Memory limit of a partition.
#[derive(Debug, Clone, Parameters)]
struct Memory {
    /// Memory of a partition before scores go to disk, in MiB.
    #[param(above = 0, at_most = 1e9)]
    memory_mib: f64,
}

impl Default for Memory {
    fn default() -> Self {
        Self { memory_mib: 256.0 }
    }
}

impl Memory {
    /// The default, or less where the session has less, but at least [`LEAST_MIB`].
    fn from_session(bytes: Option<usize>) -> Self {
        let Self { memory_mib } = Self::default();
        let from_session = bytes.map(|bytes| bytes as f64 / f64::from(1 << 20));
        Self {
            memory_mib: from_session.map_or(memory_mib, |mib| mib.clamp(LEAST_MIB, memory_mib)),
        }
    }
}

/// With less, files of sorted runs would be too many to be open at a time.
const LEAST_MIB: f64 = 0.25;

pub(crate) const AUROC: Definition = Definition {
    name: "groundtruth_auroc",
    description: "The probability that a true element scores above a false one, ties counting half: exact, from all \
                  scores. An element is true where target >= threshold. In [0, 1], 0.5 is chance; \
                  NULL when the truth has one class only. Scores outside [0, 1] are an error. It holds 8 bytes a row; \
                  what is beyond `memory_mib` in a partition is written to disk as sorted runs; in a session whose memory is \
                  limited that is no more than a share of it. In a \
                  distributed engine that is the memory of the stage that merges; the stage before it holds the scores of its \
                  partition, so that more partitions need less memory each.",
    example: "SELECT graph, groundtruth_auroc(mask, truth) FROM edges GROUP BY graph",
    arguments: &[
        Argument::new("pred", Kind::Score),
        Argument::new("target", Kind::Truth),
        Argument::parameter::<GroundTruthMetric>("threshold"),
        Argument::parameter::<Memory>("memory_mib"),
    ],
    result: || DataType::Float64,
    state: bytes_state,
    groups: |call: &Call| {
        let Memory { memory_mib } = call.set(Memory::from_session(call.memory))?;
        Ok(Box::new(AurocGroups {
            function: call.function,
            metric: call.set(GroundTruthMetric::new())?,
            most_held: ((memory_mib * 1024.0 * 1024.0) as usize / size_of::<u64>()).max(1),
            stages: call.stages,
            groups: Vec::new(),
            n_held: 0,
            n_reserved: 0,
        }))
    },
};

/// The scores of a group as integers of the same order.
#[derive(Default)]
struct Scores {
    /// Sort keys of the scores of false and of true elements.
    sides: [Vec<u64>; 2],
    /// Sorted parts on disk, of each side.
    on_disk: [Vec<Segment>; 2],
}

impl Scores {
    fn n_held(&self) -> usize {
        self.sides.iter().map(Vec::len).sum()
    }

    fn sort(&mut self) {
        self.sides.iter_mut().for_each(sort_keys);
    }
}

/// A group on its way to the next stage.
#[derive(Serialize, Deserialize)]
struct StoredScores {
    sides: [Vec<u64>; 2],
    /// Tickets of what is on disk.
    on_disk: Option<[[u64; 2]; 2]>,
}

struct AurocGroups {
    function: &'static str,
    metric: GroundTruthMetric,
    stages: Stages,
    most_held: usize,
    groups: Vec<Scores>,
    n_held: usize,
    /// The most that was held at a time since groups left. An aggregate without groups adds what a state grows by to
    /// what it has taken, and never takes off what the state shrinks by: so it does not shrink.
    n_reserved: usize,
}

impl AurocGroups {
    /// Writes what is in memory to disk, if it is too much.
    fn spill(&mut self) -> Result<()> {
        self.n_reserved = self.n_reserved.max(self.n_held);
        if self.n_held < self.most_held {
            return Ok(());
        }
        self.groups.iter_mut().for_each(Scores::sort);
        let lists = self.groups.iter().flat_map(|scores| &scores.sides);
        let mut segments = write_run(lists.map(Vec::as_slice))?.into_iter();
        for scores in &mut self.groups {
            for (side, on_disk) in scores.sides.iter_mut().zip(&mut scores.on_disk) {
                let segment = segments.next();
                on_disk.extend(segment.filter(|_| !side.is_empty()));
                *side = Vec::new();
            }
        }
        self.n_held = 0;
        Ok(())
    }
}

impl Groups for AurocGroups {
    fn update(&mut self, rows: &Rows<'_>) -> Result<()> {
        let (groups, n_held) = (&mut self.groups, &mut self.n_held);
        for_each_element(
            self.function,
            &self.metric,
            rows,
            |group, score, element| {
                groups[group].sides[usize::from(element.is_true)].push(score.order_key());
                *n_held += 1;
            },
        )?;
        if self.stages == Stages::SeveralProcesses {
            // The scores of rows go to another process, which cannot read the files of this one.
            self.n_reserved = self.n_held;
            return Ok(());
        }
        self.spill()
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let column = states[0].as_binary::<i64>();
        for (row, &group) in groups.iter().enumerate() {
            let state: StoredScores = read(column.value(row))?;
            let scores = &mut self.groups[group];
            for (side, others) in scores.sides.iter_mut().zip(state.sides) {
                self.n_held += others.len();
                side.extend(others);
            }
            for (side, ticket) in scores
                .on_disk
                .iter_mut()
                .zip(state.on_disk.into_iter().flatten())
            {
                side.extend(take(self.function, ticket)?);
            }
            self.spill()?;
        }
        Ok(())
    }

    fn grow(&mut self, n_groups: usize) {
        if n_groups > self.groups.len() {
            self.groups.resize_with(n_groups, Scores::default);
        }
    }

    fn n_groups(&self) -> usize {
        self.groups.len()
    }

    fn evaluate(&mut self, n: usize) -> Result<ArrayRef> {
        let areas = self.groups[..n].iter_mut().map(area);
        Ok(Arc::new(areas.collect::<Result<Float64Array>>()?))
    }

    fn state(&mut self, n: usize) -> Result<Vec<ArrayRef>> {
        let mut column = LargeBinaryBuilder::new();
        for scores in &mut self.groups[..n] {
            scores.sort();
            let on_disk = if scores.on_disk.iter().all(Vec::is_empty) {
                None
            } else {
                Some(scores.on_disk.each_ref().map(|side| pass(side.clone())))
            };
            self.n_held -= scores.n_held();
            let sides = std::mem::take(&mut scores.sides);
            column.append_value(stored(&StoredScores { sides, on_disk })?);
        }
        Ok(vec![Arc::new(column.finish())])
    }

    fn remove_first(&mut self, n: usize) {
        for scores in take_first(&mut self.groups, n) {
            self.n_held -= scores.n_held();
        }
        self.n_reserved = self.n_held;
    }

    fn size(&self) -> usize {
        self.groups.capacity() * size_of::<Scores>() + self.n_reserved * size_of::<u64>()
    }

    fn fresh(&self) -> Box<dyn Groups> {
        Box::new(Self {
            groups: Vec::new(),
            n_held: 0,
            n_reserved: 0,
            ..*self
        })
    }
}

/// Sorted scores, in memory or on disk.
enum Source<'a> {
    Memory(std::slice::Iter<'a, u64>),
    Disk(SegmentReader),
}

impl Source<'_> {
    fn next(&mut self) -> Result<Option<u64>> {
        match self {
            Self::Memory(numbers) => Ok(numbers.next().copied()),
            Self::Disk(reader) => reader.next(),
        }
    }
}

/// The area of a group, from all its scores in order.
fn area(scores: &mut Scores) -> Result<Option<f64>> {
    scores.sort();
    let mut sources = Vec::new();
    for (side, (held, on_disk)) in scores.sides.iter().zip(&scores.on_disk).enumerate() {
        sources.push((side, Source::Memory(held.iter())));
        let readers = on_disk
            .iter()
            .map(|segment| SegmentReader::new(segment.clone()));
        sources.extend(readers.map(|reader| (side, Source::Disk(reader))));
    }
    let mut heads = BinaryHeap::new();
    for (at, (_, source)) in sources.iter_mut().enumerate() {
        if let Some(score) = source.next()? {
            heads.push(Reverse((score, at)));
        }
    }
    let mut pairs = OrderedPairs::default();
    let mut score = None;
    let mut of_score = [0, 0];
    while let Some(Reverse((next, at))) = heads.pop() {
        if score != Some(next) {
            pairs.add_score(of_score[1], of_score[0]);
            (score, of_score) = (Some(next), [0, 0]);
        }
        let (side, source) = &mut sources[at];
        of_score[*side] += 1;
        if let Some(following) = source.next()? {
            heads.push(Reverse((following, at)));
        }
    }
    pairs.add_score(of_score[1], of_score[0]);
    Ok(pairs.auroc())
}
