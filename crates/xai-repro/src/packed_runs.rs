//! Runs' predictions, packed for counting.

use std::sync::Arc;

use ndarray::ArrayView2;
use xai_core::{Error, Label, Result, parallel};

use crate::PairMetric;
use crate::classes::{Classes, distinct, extremes};
use crate::kernels::Block;

/// What pairs are counted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Wanted {
    /// Errors that a pair shares.
    pub(crate) errors: bool,
    /// Predictions that a pair shares.
    pub(crate) equal: bool,
    /// The class table of a pair.
    pub(crate) tables: bool,
}

impl Wanted {
    pub(crate) fn by(metrics: &[PairMetric]) -> Self {
        let any = |of: fn(PairMetric) -> bool| metrics.iter().any(|&metric| of(metric));
        Self {
            errors: any(PairMetric::needs_errors),
            equal: any(PairMetric::needs_equal),
            tables: any(PairMetric::needs_table),
        }
    }

    fn classes(self) -> bool {
        self.equal || self.tables
    }

    pub(crate) fn within(self, other: Self) -> bool {
        (!self.errors || other.errors)
            && (!self.equal || other.equal)
            && (!self.tables || other.tables)
    }
}

/// The predictions of `k` runs for `n` samples, packed: what each pair of runs is counted on.
///
/// A run's errors are one bit a sample. Its predictions are the narrowest integers that tell the
/// classes of all runs apart, cut into bit planes: `⌈log2 c⌉` bits a sample for `c` classes, so that
/// 512 samples of two runs are compared by a handful of instructions. For the metrics that need a
/// pair's class table there is one bit set a class beside it, or, for many classes, the integers.
///
/// Packing costs a pass over the predictions; who asks for metrics more than once, or has runs that
/// do not fit into memory at once ([`PackedRunsBuilder`]), packs first.
///
/// ```
/// use ndarray::array;
/// use xai_repro::{PackedRuns, PairMetric, PairwiseReproducibility};
/// let predictions = array![[0, 1, 0, 1], [0, 0, 0, 0], [0, 1, 1, 1]];
/// let packed = PackedRuns::new(predictions.view(), &[0, 1, 1, 0])?;
/// assert_eq!((packed.n_runs(), packed.n_samples(), packed.classes()), (3, 4, &[0, 1][..]));
/// let runs = PairwiseReproducibility::builder().from_packed(&packed)?;
/// assert_eq!(runs.pairs(PairMetric::EcLocal), [Some(1.0 / 3.0), Some(0.5), Some(0.0)]);
/// # Ok::<(), xai_repro::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PackedRuns {
    pub(crate) totals: RunTotals,
    pub(crate) wanted: Wanted,
    /// The samples that each run gets wrong.
    pub(crate) wrong: Arc<Vec<Vec<Block>>>,
    /// The label of each code, ascending where all runs were packed at once.
    labels: Vec<i64>,
    /// For each run `n_planes` blocks for every 512 samples; no runs where predictions are not
    /// compared.
    pub(crate) planes: Vec<Vec<Block>>,
    pub(crate) n_planes: usize,
    pub(crate) tables: TableSource,
}

/// What is counted of each run by itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct RunTotals {
    pub(crate) n_samples: u64,
    /// How many samples each run gets wrong.
    pub(crate) n_wrong: Vec<u64>,
    /// How often each run predicts each class, by code; no runs where predictions are not compared.
    pub(crate) class_counts: Vec<Vec<u64>>,
}

/// What a pair's class table is made from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TableSource {
    /// Tables are not wanted.
    None,
    /// For each run the samples of each class, class after class.
    Sets(Vec<Vec<Block>>),
    /// For each run the code of each sample.
    Bytes(Vec<Vec<u8>>),
    /// The same for more than 256 classes.
    Halves(Vec<Vec<u16>>),
    /// The same for more than 65 536 classes.
    Words(Vec<Vec<u32>>),
}

/// Up to this many classes a pair's table comes from AND-popcounts of class sets, above it from a
/// histogram. The first costs `(c − 1)²/512` register operations a sample, the second a store.
///
/// Measured on one core of a Zen 4, random classes, µs a pair with Cramér's V:
///
/// | classes | 1000 samples: sets | histogram | 100 000 samples: sets | histogram |
/// |---|---|---|---|---|
/// | 5 | 0.3 | 1.0 | 2.1 | 78 |
/// | 10 | 1.0 | 1.2 | 12 | 78 |
/// | 15 | 1.9 | 1.9 | 27 | 78 |
/// | 20 | 3.3 | 2.6 | 48 | 80 |
/// | 25 | 4.4 | 3.0 | 75 | 80 |
/// | 30 | 6.0 | 3.5 | 110 | 91 |
pub(crate) const MOST_CLASSES_AS_SETS: usize = 24;

/// The same where rows of bits are so short that the ends of loops count.
const MOST_CLASSES_AS_SHORT_SETS: usize = 14;

/// Below this many samples rows are short.
const SHORT: usize = 8192;

impl PackedRuns {
    /// Packs `(k, n)` predictions and `(n,)` true labels for every metric.
    ///
    /// # Errors
    /// As [`for_metrics`](Self::for_metrics).
    pub fn new<L: Label, M: Label>(predictions: ArrayView2<'_, L>, labels: &[M]) -> Result<Self> {
        Self::for_metrics(&PairMetric::ALL, predictions, labels)
    }

    /// Packs `(k, n)` predictions and `(n,)` true labels, no more than these metrics need: for the
    /// error metrics alone that is one bit a sample and run.
    ///
    /// # Errors
    /// [`Error::TooFew`] below two runs, [`Error::Empty`] without samples or metrics,
    /// [`Error::ShapeMismatch`] when there is not one label a sample, [`Error::OutOfDomain`] and
    /// [`Error::InvalidParameter`] for a label above `i64::MAX`.
    pub fn for_metrics<L: Label, M: Label>(
        metrics: &[PairMetric],
        predictions: ArrayView2<'_, L>,
        labels: &[M],
    ) -> Result<Self> {
        let (k, n) = predictions.dim();
        if k < 2 {
            return Err(Error::too_few("runs", 2, k));
        }
        if n == 0 {
            return Err(Error::empty("samples"));
        }
        let mut packing = PackedRunsBuilder::new(metrics, labels)?;
        if labels.len() != n {
            return Err(Error::shape("labels", &[n], &[labels.len()]));
        }
        let predictions = predictions.as_standard_layout();
        let runs: Vec<&[L]> = predictions
            .as_slice()
            .unwrap_or_default()
            .chunks_exact(n)
            .collect();
        packing.push_all(&runs)?;
        packing.build()
    }

    /// The number of runs.
    #[must_use]
    pub fn n_runs(&self) -> usize {
        self.wrong.len()
    }

    /// The number of samples.
    #[must_use]
    pub fn n_samples(&self) -> usize {
        usize::try_from(self.totals.n_samples).unwrap_or(usize::MAX)
    }

    /// The labels that occur in the predictions, ascending where all runs were packed at once, else in the
    /// order they were met. Empty where only errors are packed.
    #[must_use]
    pub fn classes(&self) -> &[i64] {
        &self.labels
    }

    /// How many register operations the counts of a pair take, roughly.
    pub(crate) fn cost_of_a_pair(&self, wanted: Wanted) -> usize {
        let n_sets = self.labels.len().saturating_sub(1);
        let of_table = match self.tables {
            TableSource::None => 0,
            TableSource::Sets(_) => n_sets * n_sets,
            _ => Block::SAMPLES,
        };
        let of_block = usize::from(wanted.errors)
            + usize::from(wanted.equal) * self.n_planes
            + usize::from(wanted.tables) * of_table;
        self.n_blocks() * of_block
    }

    /// The number of blocks a row of bits.
    pub(crate) fn n_blocks(&self) -> usize {
        self.n_samples().div_ceil(Block::SAMPLES)
    }
}

/// Packs runs that come one at a time.
///
/// The result is that of [`PackedRuns::new`], up to the order of [`PackedRuns::classes`], which
/// nothing else depends on. Memory is that of what is packed, plus one run.
///
/// ```
/// use xai_repro::{PackedRunsBuilder, PairMetric};
/// let mut packing = PackedRunsBuilder::new(&PairMetric::ALL, &[0, 1, 1, 0])?;
/// packing.push(&[0u8, 1, 0, 1])?;
/// packing.push(&[0u8, 0, 0, 0])?;
/// assert_eq!(packing.build()?.n_runs(), 2);
/// # Ok::<(), xai_repro::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct PackedRunsBuilder {
    wanted: Wanted,
    labels: Vec<i64>,
    classes: Classes,
    runs: Vec<PackedRun>,
}

/// One run, packed.
#[derive(Debug, Clone)]
struct PackedRun {
    wrong: Vec<Block>,
    n_wrong: u64,
    planes: Vec<Block>,
    n_planes: usize,
    class_counts: Vec<u64>,
}

impl PackedRunsBuilder {
    /// Starts with the true labels and the metrics that will be asked for.
    ///
    /// # Errors
    /// [`Error::Empty`] without samples or metrics, [`Error::OutOfDomain`] for a label above
    /// `i64::MAX`.
    pub fn new<M: Label>(metrics: &[PairMetric], labels: &[M]) -> Result<Self> {
        if metrics.is_empty() {
            return Err(Error::empty("metrics"));
        }
        Ok(Self {
            wanted: Wanted::by(metrics),
            labels: xai_core::labels_to_i64("labels", labels.iter().copied())?,
            classes: Classes::default(),
            runs: Vec::new(),
        })
    }

    /// Adds a run's `(n,)` predictions.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] when there is not one prediction a label,
    /// [`Error::InvalidParameter`] for a label above `i64::MAX`; the packing is unchanged then.
    pub fn push<L: Label>(&mut self, predictions: &[L]) -> Result<()> {
        self.push_all(&[predictions])
    }

    /// Adds several runs, packed in parallel.
    ///
    /// # Errors
    /// As [`push`](Self::push).
    pub fn push_all<L: Label>(&mut self, runs: &[&[L]]) -> Result<()> {
        let first = self.runs.len();
        let n = self.labels.len();
        if let Some(run) = runs.iter().position(|run| run.len() != n) {
            let what = format!("predictions of run {}", first + run);
            return Err(Error::shape(what, &[n], &[runs[run].len()]));
        }
        let extremes = map_runs(runs.len(), n, |run| extremes(first + run, runs[run]));
        let extremes: Vec<Option<(i64, i64)>> = extremes.into_iter().collect::<Result<_>>()?;
        if self.wanted.classes() {
            // A run within labels that are known, without gaps, has no new ones.
            let mut known = self.classes.clone();
            if let ([], Some(run), Some(Some(extremes))) =
                (known.labels(), runs.first(), extremes.first())
            {
                known.extend(distinct(run, *extremes));
            }
            let new = map_runs(runs.len(), n, |run| match extremes[run] {
                Some(extremes) if !known.covers(extremes) => distinct(runs[run], extremes),
                _ => Vec::new(),
            });
            let mut present = [known.labels().to_vec(), new.concat()].concat();
            present.sort_unstable();
            present.dedup();
            self.classes.extend(present);
        }
        let packed = map_runs(runs.len(), n, |run| self.pack(runs[run]));
        self.runs.extend(packed);
        Ok(())
    }

    fn pack<L: Label>(&self, predictions: &[L]) -> PackedRun {
        let wrong = wrong_bits(predictions, &self.labels);
        let mut run = PackedRun {
            n_wrong: wrong.iter().map(Block::len).sum(),
            wrong,
            planes: Vec::new(),
            n_planes: planes_for(self.classes.len()),
            class_counts: Vec::new(),
        };
        if self.wanted.classes() {
            let n_classes = self.classes.len();
            (run.planes, run.class_counts) = match self.classes.table() {
                Some((low, codes)) => plane_bits(predictions, n_classes, |label| {
                    let label = label.to_i64().unwrap_or_default();
                    codes[label.abs_diff(low) as usize]
                }),
                None => plane_bits(predictions, n_classes, |label| {
                    let label = label.to_i64().unwrap_or_default();
                    self.classes.code(label).unwrap_or_default()
                }),
            };
        }
        run
    }

    /// The packed runs.
    ///
    /// # Errors
    /// [`Error::TooFew`] below two runs, [`Error::Empty`] without samples.
    pub fn build(self) -> Result<PackedRuns> {
        if self.runs.len() < 2 {
            return Err(Error::too_few("runs", 2, self.runs.len()));
        }
        if self.labels.is_empty() {
            return Err(Error::empty("samples"));
        }
        let n_classes = self.classes.len();
        let n_planes = planes_for(n_classes);
        if self.wanted.tables && u32::try_from(self.labels.len()).is_err() {
            return Err(Error::parameter(
                "samples",
                self.labels.len(),
                "fewer than 2^32 at once for class tables; fold them in as blocks",
            ));
        }
        let mut packed = PackedRuns {
            totals: RunTotals {
                n_samples: self.labels.len() as u64,
                ..RunTotals::default()
            },
            wanted: self.wanted,
            wrong: Arc::default(),
            labels: self.classes.labels().to_vec(),
            planes: Vec::new(),
            n_planes,
            tables: TableSource::None,
        };
        let mut wrong = Vec::with_capacity(self.runs.len());
        for mut run in self.runs {
            wrong.push(run.wrong);
            packed.totals.n_wrong.push(run.n_wrong);
            if self.wanted.classes() {
                run.class_counts.resize(n_classes, 0);
                packed.totals.class_counts.push(run.class_counts);
                packed.planes.push(if run.n_planes == n_planes {
                    run.planes
                } else {
                    with_more_planes(&run.planes, run.n_planes, n_planes, packed.n_blocks())
                });
            }
        }
        packed.wrong = Arc::new(wrong);
        if self.wanted.tables {
            packed.tables = packed.table_source();
        }
        Ok(packed)
    }
}

/// The number of bits that tell so many classes apart.
fn planes_for(n_classes: usize) -> usize {
    (usize::BITS - n_classes.saturating_sub(1).leading_zeros()) as usize
}

/// The bits of 64 bytes at one place in each.
#[inline(always)]
fn plane_of_bytes(bytes: &[u8; 64], place: usize) -> u64 {
    let (eights, _) = bytes.as_chunks::<8>();
    eights.iter().enumerate().fold(0, |word, (i, &eight)| {
        let ones = u64::from_le_bytes(eight) >> place & 0x0101_0101_0101_0101;
        // The products land in the top byte without carries.
        word | ones.wrapping_mul(0x0102_0408_1020_4080) >> 56 << (8 * i)
    })
}

/// Sets the bit at one place in each of 64 bytes.
#[inline(always)]
fn plane_to_bytes(word: u64, place: usize, bytes: &mut [u8; 64]) {
    let (eights, _) = bytes.as_chunks_mut::<8>();
    for (eight, bits) in eights.iter_mut().zip(word.to_le_bytes()) {
        // Each byte keeps one of the eight bits; then that bit, if set, becomes a 1.
        let each = (u64::from(bits) * 0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
        let ones = (each + 0x7f7f_7f7f_7f7f_7f7f) >> 7 & 0x0101_0101_0101_0101;
        *eight = (u64::from_le_bytes(*eight) | ones << place).to_le_bytes();
    }
}

fn wrong_bits<L: Label>(predictions: &[L], labels: &[i64]) -> Vec<Block> {
    let blocks = predictions
        .chunks(Block::SAMPLES)
        .zip(labels.chunks(Block::SAMPLES));
    let mut wrong = [0u8; 64];
    blocks
        .map(|(predictions, labels)| {
            let mut block = Block::default();
            let words = predictions.chunks(64).zip(labels.chunks(64));
            for (word, (predicted, label)) in block.0.iter_mut().zip(words) {
                if predicted.len() < 64 {
                    wrong = [0; 64];
                }
                for ((wrong, predicted), &label) in wrong.iter_mut().zip(predicted).zip(label) {
                    *wrong = u8::from(predicted.to_i64() != Some(label));
                }
                *word = plane_of_bytes(&wrong, 0);
            }
            block
        })
        .collect()
}

/// The bit planes of codes, and how often each code occurs.
#[allow(clippy::cast_possible_truncation)] // bytes of codes
fn plane_bits<L: Copy>(
    predictions: &[L],
    n_classes: usize,
    code: impl Fn(L) -> u32,
) -> (Vec<Block>, Vec<u64>) {
    let n_planes = planes_for(n_classes);
    let n_bytes = n_planes.div_ceil(8);
    let mut blocks = vec![Block::default(); predictions.len().div_ceil(Block::SAMPLES) * n_planes];
    // Two counters a class: equal neighbours do not wait for each other's store.
    let mut counts = vec![[0u64; 2]; n_classes];
    let mut bytes = [[0u8; 64]; 4];
    for (at, samples) in predictions.chunks(Block::SAMPLES).enumerate() {
        let planes = &mut blocks[at * n_planes..][..n_planes];
        for (word, samples) in samples.chunks(64).enumerate() {
            if samples.len() < 64 {
                bytes = [[0; 64]; 4];
            }
            for (i, &sample) in samples.iter().enumerate() {
                let code = code(sample);
                counts[code as usize][i % 2] += 1;
                bytes[0][i] = code as u8;
                for (place, bytes) in bytes[..n_bytes].iter_mut().enumerate().skip(1) {
                    bytes[i] = (code >> (8 * place)) as u8;
                }
            }
            for (plane, block) in planes.iter_mut().enumerate() {
                block.0[word] = plane_of_bytes(&bytes[plane / 8], plane % 8);
            }
        }
    }
    (blocks, counts.into_iter().map(|[a, b]| a + b).collect())
}

/// Maps runs of `n` samples, in parallel where there is enough to do: a hundred thousand predictions.
fn map_runs<T: Send>(k: usize, n: usize, f: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    if k.saturating_mul(n) < 100_000 {
        (0..k).map(f).collect()
    } else {
        parallel::map(k, f)
    }
}

/// The planes of a run that was packed when fewer classes were known.
fn with_more_planes(planes: &[Block], had: usize, needed: usize, n_blocks: usize) -> Vec<Block> {
    let mut wider = vec![Block::default(); n_blocks * needed];
    if had > 0 {
        for (to, from) in wider.chunks_exact_mut(needed).zip(planes.chunks_exact(had)) {
            to[..had].copy_from_slice(from);
        }
    }
    wider
}

impl PackedRuns {
    fn table_source(&self) -> TableSource {
        let c = self.labels.len();
        let (k, n) = (self.planes.len(), self.n_samples());
        let most = match n {
            ..SHORT => MOST_CLASSES_AS_SHORT_SETS,
            SHORT.. => MOST_CLASSES_AS_SETS,
        };
        if c <= most {
            return TableSource::Sets(map_runs(k, n, |run| self.class_sets(run)));
        }
        #[allow(clippy::cast_possible_truncation)] // as many classes as fit
        match c {
            0..=0x100 => {
                TableSource::Bytes(map_runs(k, n, |run| self.codes(run, |code| code as u8)))
            }
            0x101..=0x1_0000 => {
                TableSource::Halves(map_runs(k, n, |run| self.codes(run, |code| code as u16)))
            }
            _ => TableSource::Words(map_runs(k, n, |run| self.codes(run, |code| code))),
        }
    }

    /// The samples of each class but the last, whose counts follow from the totals.
    fn class_sets(&self, run: usize) -> Vec<Block> {
        let n_sets = self.labels.len().saturating_sub(1);
        let n_blocks = self.n_blocks();
        let mut sets = vec![Block::default(); n_sets * n_blocks];
        if self.n_planes == 0 {
            return sets;
        }
        for (at, planes) in self.planes[run].chunks_exact(self.n_planes).enumerate() {
            for class in 0..n_sets {
                let mut members = [u64::MAX; 8];
                for (plane, bits) in planes.iter().enumerate() {
                    let flip = (class as u64 >> plane & 1).wrapping_sub(1);
                    for (lane, member) in members.iter_mut().enumerate() {
                        *member &= bits.0[lane] ^ flip;
                    }
                }
                sets[class * n_blocks + at] = Block(members);
            }
        }
        self.clear_padding(&mut sets);
        sets
    }

    /// Empties what is beyond the last sample: a code of 0 there is no class.
    fn clear_padding(&self, sets: &mut [Block]) {
        for set in sets.chunks_exact_mut(self.n_blocks()) {
            if let Some(last) = set.last_mut() {
                *last = self.within_samples(*last);
            }
        }
    }

    /// The last block without what is beyond the last sample.
    fn within_samples(&self, mut last: Block) -> Block {
        let used = self.n_samples() - (self.n_blocks() - 1) * Block::SAMPLES;
        for (word, bits) in last.0.iter_mut().enumerate() {
            let bits_used = used.saturating_sub(64 * word).min(64);
            *bits &= u64::MAX.checked_shr(64 - bits_used as u32).unwrap_or(0);
        }
        last
    }

    /// The code of each sample.
    fn codes<C>(&self, run: usize, narrow: impl Fn(u32) -> C) -> Vec<C> {
        let mut codes = Vec::with_capacity(self.n_blocks() * Block::SAMPLES);
        for planes in self.planes[run].chunks_exact(self.n_planes.max(1)) {
            for word in 0..8 {
                let mut bytes = [[0u8; 64]; 4];
                for (plane, block) in planes.iter().enumerate() {
                    plane_to_bytes(block.0[word], plane % 8, &mut bytes[plane / 8]);
                }
                codes.extend((0..64).map(|i| {
                    let code = [bytes[0][i], bytes[1][i], bytes[2][i], bytes[3][i]];
                    narrow(u32::from_le_bytes(code))
                }));
            }
        }
        codes.truncate(self.n_samples());
        codes
    }
}
