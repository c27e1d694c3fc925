//! Further inputs of metrics, from files: masks, segments, baselines, other maps, draws.

use std::path::Path;

use ndarray::{Array, Ix1, Ix2, Ix3};
use xai_files::arrays::StoredArray;
use xai_files::samples::{FilePlanes, FileSamples};
use xai_files::{Failure, InFile, arrays};
use xai_metrics::attribution::batch::{Data, Masks, ReferenceMaps, SecondMaps, Segments};
use xai_metrics::attribution::metric::{Entry, GivenTargets, Param, Value};
use xai_metrics::attribution::model::Targets;
use xai_metrics::attribution::perturbation::{
    GivenBaselines, GivenNeighbors, GivenOrders, GivenSubsets, GivenValues,
};
use xai_metrics::attribution::{Real, input};
use xai_metrics::core::Input;

use crate::described::option_name;

/// The words of parameters that ask for a further input: features that are segments, and a given baseline.
const OF_WORDS: [(&str, Input, SideFile); 2] = [
    ("segments", input::SEGMENTS, SEGMENTS),
    ("given", input::BASELINE, BASELINES),
];

/// The parameters of a metric that may be a word.
fn with_word(entry: &Entry, word: &str) -> impl Iterator<Item = Param> {
    let params = entry.params().into_iter();
    params.filter(move |param| param.kind.words().any(|of_kind| of_kind.name == word))
}

/// Whether a metric can do with an input, because a parameter may ask for it.
pub(super) fn may_take(entry: &Entry, input: Input) -> bool {
    let mut words = OF_WORDS.iter().filter(|(_, of, ..)| *of == input);
    words.any(|(word, ..)| with_word(entry, word).next().is_some())
}

/// The parameter that is a word, with its value.
fn with_value(
    entry: &Entry,
    word: &str,
    value: impl Fn(&str) -> Option<Value>,
) -> Option<(&'static str, String)> {
    with_word(entry, word).find_map(|param| {
        let value = value(param.name).unwrap_or(param.value).to_string();
        let is_word = value.split(':').next() == Some(word);
        is_word.then_some((param.name, value))
    })
}

/// Whether a metric with its settings takes an input.
pub(super) fn takes(entry: &Entry, value: impl Fn(&str) -> Option<Value>, input: Input) -> bool {
    let mut words = OF_WORDS.iter().filter(|(_, of, ..)| *of == input);
    entry.info.needs.contains(&input)
        || words.any(|(word, ..)| with_value(entry, word, &value).is_some())
}

/// Refuses a further input that a metric could take, and with its settings does not.
pub(super) fn check_used(
    entry: &Entry,
    value: impl Fn(&str) -> Option<Value>,
    is_given: impl Fn(Input) -> bool,
) -> Result<(), Failure> {
    for (word, input, file) in OF_WORDS {
        if is_given(input) && !takes(entry, &value, input) {
            let option = format!("--{}", file.name);
            let params = with_word(entry, word).map(|param| param.name);
            let asks = params.map(|name| format!("--{} {word}", option_name(name)));
            let asks = asks.collect::<Vec<_>>().join(" or ");
            let failure = Failure::for_option(&option, format_args!("used by {asks} alone"));
            return Err(failure.help(format_args!("add {asks}, or leave {option} out")));
        }
    }
    Ok(())
}

/// Refuses a metric whose explainers or further inputs were not given: wrong usage, before anything is read.
pub(super) fn check(
    entry: &Entry,
    value: impl Fn(&str) -> Option<Value>,
    is_given: impl Fn(Input) -> bool,
    spelled: impl Fn(&str, &str) -> String,
) -> Result<(), Failure> {
    let needs = |input| entry.info.needs.contains(&input);
    let name = entry.info.name;
    let needed_by = |option: &str, value: &str, what: &str| {
        Failure::for_option(option, format_args!("needed by {what}")).with_value(value)
    };
    for input in [input::SECOND_MAPS, input::REFERENCE_MAPS] {
        if needs(input) && !is_given(input) {
            return Err(needed_by("--other-explanations", "E2.npy", name));
        }
    }
    if needs(input::EXPLAINER) && !is_given(input::EXPLAINER) {
        let value = "NAME=E.onnx of every name";
        return Err(needed_by("--explainers", value, name));
    }
    if needs(input::MASKS) && !is_given(input::MASKS) {
        return Err(needed_by("--masks", "M.npy", name));
    }
    for (word, input, file) in OF_WORDS {
        let of_param = with_value(entry, word, &value);
        let of_param = of_param.map(|(name, value)| spelled(name, &value));
        if (needs(input) || of_param.is_some()) && !is_given(input) {
            let option = format!("--{}", file.name);
            let what = of_param.as_deref().unwrap_or(name);
            return Err(needed_by(&option, file.value_name, what));
        }
    }
    Ok(())
}

/// A further input of metrics: a file, and what is added to a run for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SideFile {
    /// The option, without dashes.
    pub(super) name: &'static str,
    pub(super) value_name: &'static str,
    pub(super) help: &'static str,
    pub(super) kind: SideKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SideKind {
    Masks,
    Segments,
    Baselines,
    OtherMaps,
    Draws,
}

const SEGMENTS: SideFile = SideFile {
    name: "segments",
    value_name: "S.npy",
    help: "The segment of each position, for --features segments too: integers (n, height, width) \
           or (height, width)",
    kind: SideKind::Segments,
};

const BASELINES: SideFile = SideFile {
    name: "baselines",
    value_name: "B.npy",
    help: "What removed positions are set to, for --baseline given: numbers shaped like the inputs, or (1, …) \
           for all samples",
    kind: SideKind::Baselines,
};

/// The further inputs that have files.
pub(super) const SIDE_FILES: [SideFile; 5] = [
    SideFile {
        name: "masks",
        value_name: "M.npy",
        help: "Where the object is: booleans (n, height, width), of tables (n, features), or numbers from 0 to 1",
        kind: SideKind::Masks,
    },
    SEGMENTS,
    BASELINES,
    SideFile {
        name: "other-explanations",
        value_name: "E2.npy",
        help: "The maps that others are compared with: of another explainer, of the randomized or the \
               shifted model, or true ones; one map (1, …) for all samples where they are true ones",
        kind: SideKind::OtherMaps,
    },
    SideFile {
        name: "draws",
        value_name: "D.npy",
        help: "Random draws made elsewhere, instead of own ones: numbers of features (draws, n, size) for \
               subsets, noise that is added (draws, n, …) for neighbours and infidelity, values (draws, n, features), orders of \
               removal (n, features), other classes (n,)",
        kind: SideKind::Draws,
    },
];

impl SideFile {
    /// The input that a metric has of it, whether it needs it or can do with it.
    pub(super) fn input_of(self, entry: &Entry) -> Option<Input> {
        let needed = |input: Input| entry.info.needs.contains(&input).then_some(input);
        let optional = |input| needed(input).or(may_take(entry, input).then_some(input));
        match self.kind {
            SideKind::Masks => needed(input::MASKS),
            SideKind::Segments => optional(input::SEGMENTS),
            SideKind::Baselines => optional(input::BASELINE),
            SideKind::OtherMaps => needed(input::SECOND_MAPS).or(needed(input::REFERENCE_MAPS)),
            SideKind::Draws => entry.draws(),
        }
    }
}

/// Adds an input from its file, for inputs or maps of a shape.
pub(super) fn add<'a, T: Real>(
    run: Data<'a, T>,
    of: Input,
    file: &Path,
    shape: &[usize],
) -> Result<Data<'a, T>, Failure> {
    Ok(match of {
        input::MASKS => run.with(masks(file, shape)?),
        input::SEGMENTS => run.with(segments(file, shape)?),
        input::BASELINE => run.with(GivenBaselines(vec![arrays::read_f64(file)?])),
        input::SECOND_MAPS => run.with(SecondMaps::from_maps(FileSamples::open(file)?)),
        input::REFERENCE_MAPS => run.with(ReferenceMaps::new(FileSamples::open(file)?)),
        input::SUBSETS => {
            let subsets = arrays::read(file)?.into_integers::<Ix3>()?;
            run.with(GivenSubsets(whole(&subsets, feature).in_file(file)?))
        }
        input::ORDERS => {
            let orders = arrays::read(file)?.into_integers::<Ix2>()?;
            run.with(GivenOrders(whole(&orders, feature).in_file(file)?))
        }
        input::NEIGHBORS => run.with(GivenNeighbors(arrays::read_f64(file)?)),
        input::GIVEN_VALUES => run.with(GivenValues(arrays::read_f64(file)?)),
        input::OTHER_TARGETS => {
            let classes = arrays::read_labels::<Ix1>(file)?.to_vec();
            run.with(GivenTargets(Targets::Classes(classes)))
        }
        _ => run,
    })
}

/// The number of a feature.
fn feature(label: i64) -> Result<u32, Failure> {
    u32::try_from(label).map_err(|_| Failure::new("expected numbers of features, from 0"))
}

/// Reads masks: booleans `(n, height, width)`, of tables `(n, features)`, or numbers in [0, 1].
fn masks(file: &Path, shape: &[usize]) -> Result<Masks, Failure> {
    let rule = |label| match label {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(Failure::new(format!(
            "{other}: expected booleans, or numbers from 0 to 1"
        ))
        .help(
            "save booleans: of a mask with 0 and 255, or with a number for each object, `mask > 0`",
        )),
    };
    if let Some(masks) = FilePlanes::open_large(file, rule) {
        return Ok(Masks::new(masks));
    }
    let stored = planes(arrays::read(file)?, shape)?;
    if stored.has_fractions() {
        Ok(Masks::from_numbers(stored.into_f64::<Ix3>()?))
    } else {
        Ok(Masks::new(FilePlanes::from_array(stored, rule)?))
    }
}

/// Reads segments: integers `(n, height, width)`, `(height, width)` for all samples, or of tables `(n, features)`.
fn segments(file: &Path, shape: &[usize]) -> Result<Segments, Failure> {
    let rule = |label: i64| {
        u32::try_from(label).map_err(|_| Failure::new("expected segments of 0 to 4 294 967 295"))
    };
    if let Some(segments) = FilePlanes::open_large(file, rule) {
        return Ok(Segments::new(segments));
    }
    let stored = arrays::read(file)?;
    // Of tables, one row is of all samples.
    let is_shared = stored.shape().len() == 2 && (shape.len() != 2 || stored.shape()[0] == 1);
    if is_shared {
        let n = shape.first().copied().unwrap_or_default();
        let shared = whole(&stored.into_integers::<Ix2>()?, rule).in_file(file)?;
        return Ok(Segments::shared(shared, n));
    }
    Ok(Segments::new(FilePlanes::from_array(
        planes(stored, shape)?,
        rule,
    )?))
}

/// A plane for each sample: of tables `(n, features)` planes have one row. Refuses a channel axis, which masks and segments
/// have not.
fn planes(stored: StoredArray, shape: &[usize]) -> Result<StoredArray, Failure> {
    let own = stored.shape().to_vec();
    match (own.len(), shape.len()) {
        (2, 2) => Ok(stored.insert_axis(1)),
        (4, _) => {
            let channels: Vec<usize> = [1, 3].into_iter().filter(|&axis| own[axis] == 1).collect();
            let failure = Failure::new(format_args!(
                "expected shape (n, height, width), got {own:?}: masks and segments have no channel axis"
            ));
            let failure = match channels[..] {
                [axis] => failure.help(format_args!(
                    "leave axis {axis} out: numpy.squeeze(array, axis={axis})"
                )),
                _ => failure.help(
                    "save one mask for each sample, of all channels together: array.any(axis=…)",
                ),
            };
            Err(failure.in_file(stored.file()))
        }
        _ => Ok(stored),
    }
}

/// Every number read by a rule.
fn whole<V, D: ndarray::Dimension>(
    labels: &Array<i64, D>,
    value: impl Fn(i64) -> Result<V, Failure>,
) -> Result<Array<V, D>, Failure> {
    let values: Result<Vec<V>, Failure> = labels.iter().map(|&label| value(label)).collect();
    Array::from_shape_vec(labels.raw_dim(), values?).map_err(Failure::new)
}
