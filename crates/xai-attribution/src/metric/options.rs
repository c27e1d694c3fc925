//! Parameters of metrics by name and text, as a command line has them.

use std::str::FromStr;

use xai_core::{Error, Input, Layout, MetricInfo, Result};

use crate::input;
use crate::metric::protocol::Metric;

/// A parameter of a metric as a command line has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OptionInfo {
    /// The name in kebab-case: `max-fraction`.
    pub name: &'static str,
    /// What its value stands for: `SHARE`.
    pub value_name: &'static str,
    /// The default as text, empty where it has to be given.
    pub default: &'static str,
    /// One sentence.
    pub help: &'static str,
}

/// A parameter, and how text sets it.
pub struct MetricOption<M> {
    /// Name, default, and what it is.
    pub info: OptionInfo,
    /// The metric with the parameter set.
    pub set: fn(M, &str) -> Result<M>,
}

/// The layouts of metrics for images only.
pub const IMAGES_ONLY: &[Layout] = &[Layout::ChannelsLast, Layout::ChannelsFirst];

/// What a metric draws, as an input that was drawn elsewhere: to repeat another tool's run.
pub struct GivenDraws<M> {
    /// The side input: [`GivenSubsets`](crate::perturbation::GivenSubsets) and its like.
    pub input: Input,
    /// The metric that takes it.
    pub take: fn(M) -> M,
}

/// The option `given-draws`: `true` for a metric that takes draws made elsewhere, see
/// [`Entry::draws`](crate::metric::Entry::draws).
pub const GIVEN_DRAWS: &str = "given-draws";

/// A metric that the registry can make.
pub trait Registered: Metric + Sized + 'static {
    /// Name, question, direction, range, needs and source.
    const INFO: &'static MetricInfo;

    /// Its parameters.
    const OPTIONS: &'static [MetricOption<Self>];

    /// The layouts of inputs that it has values for.
    const TAKES: &'static [Layout] = &[
        Layout::Tabular,
        Layout::TimeSeries,
        Layout::ChannelsLast,
        Layout::ChannelsFirst,
    ];

    /// Draws that were made elsewhere, which it can take instead of its own.
    const GIVEN_DRAWS: Option<GivenDraws<Self>> = None;

    /// The metric with the defaults of all parameters.
    fn with_defaults() -> Self;

    /// The metric with some parameters given by name and text; the later of two of one name holds.
    ///
    /// # Errors
    /// An invalid parameter for a name that it has not, or a text that is no value.
    fn with_options(options: &[(&str, &str)]) -> Result<Self> {
        options
            .iter()
            .try_fold(Self::with_defaults(), |metric, (name, text)| {
                if let (&(GIVEN_DRAWS, "true"), Some(given)) = (&(*name, *text), Self::GIVEN_DRAWS)
                {
                    return Ok((given.take)(metric));
                }
                let known = Self::OPTIONS
                    .iter()
                    .find(|option| option.info.name == *name);
                let Some(option) = known else {
                    let names: Vec<&str> = Self::OPTIONS.iter().map(|o| o.info.name).collect();
                    let expected = match names.as_slice() {
                        [] => "no options".to_owned(),
                        names => format!("one of {}", names.join(", ")),
                    };
                    return Err(Error::parameter(input::OPTION, name, expected));
                };
                (option.set)(metric, text)
            })
    }
}

/// A value from text.
///
/// # Errors
/// An invalid parameter about `input`, with what was expected.
pub fn parse<V: FromStr>(input: Input, text: &str, expected: &'static str) -> Result<V> {
    text.trim()
        .parse()
        .map_err(|_| Error::parameter(input, text, expected))
}

/// A number, or a word that stands for none: `all` steps, `none` for a grid.
///
/// # Errors
/// As [`parse`].
pub fn parse_unless(
    word: &str,
    input: Input,
    text: &str,
    expected: &'static str,
) -> Result<Option<usize>> {
    if text == word {
        return Ok(None);
    }
    parse(input, text, expected).map(Some)
}

/// What stands for absence, for the metrics that take a
/// [`Baseline`](crate::perturbation::Baseline).
pub const BASELINE_OPTION: OptionInfo = OptionInfo {
    name: "baseline",
    value_name: "VALUE",
    default: "0.0",
    help: "What stands for absence: a number, one number per channel, `mean` of the data set, \
           `sample-min`, `sample-mean`, `sample-max`, `linear-imputation` or `blur:SIGMA`",
};

/// What random choices depend on, for the metrics that make some.
pub const SEED_OPTION: OptionInfo = OptionInfo {
    name: "seed",
    value_name: "N",
    default: "1",
    help: "What random choices depend on",
};

/// Which positions go together, for the metrics that take
/// [`Features`](crate::perturbation::Features).
pub const FEATURES_OPTION: OptionInfo = OptionInfo {
    name: "features",
    value_name: "FEATURES",
    default: "positions",
    help: "Which positions go together: `positions`, `grid:CELLS`, `patches:SIZE` or `segments`",
};

/// The steps of a curve, for the metrics along one.
pub const STEPS_OPTION: OptionInfo = OptionInfo {
    name: "steps",
    value_name: "N",
    default: "10",
    help: "Steps of the curve, `all` for one per feature, or `every:N` for steps of N features",
};

/// What is read off the model's outputs, for the metrics along a curve.
pub const CURVE_SCORE_OPTION: OptionInfo = OptionInfo {
    name: "curve-score",
    value_name: "target|top-1",
    default: "target",
    help: "What is read off the model's outputs: the score of the target, or whether it is the largest output",
};

/// The largest change, for the metrics that draw neighbours.
pub const RADIUS_OPTION: OptionInfo = OptionInfo {
    name: "radius",
    value_name: "R",
    default: "0.1",
    help: "The largest change of an element, in the unit of the inputs",
};

/// How many, for the metrics that draw neighbours.
pub const NEIGHBORS_OPTION: OptionInfo = OptionInfo {
    name: "neighbors",
    value_name: "N",
    default: "20",
    help: "Neighbours per sample",
};

/// How alike two maps are, for the metrics that take a [`MapSimilarity`](crate::map::MapSimilarity).
pub const SIMILARITY_OPTION: OptionInfo = OptionInfo {
    name: "similarity",
    value_name: "ssim|spearman|pearson|jaccard",
    default: "ssim",
    help: "How alike two maps are; `jaccard` looks at the largest tenth of the attributions",
};

/// How many, for the metrics that draw noise.
pub const DRAWS_OPTION: OptionInfo = OptionInfo {
    name: "n-draws",
    value_name: "N",
    default: "20",
    help: "Random draws per sample",
};

/// For the metrics whose features may be groups of positions.
pub const GROUP_SIZE_OPTION: OptionInfo = OptionInfo {
    name: "group-size",
    value_name: "N",
    default: "1",
    help: "Groups of N positions that follow each other in the order of attributions, as features",
};
