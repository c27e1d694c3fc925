//! Options that several commands take.

use clap::{Args, ValueEnum};
use serde::Serialize;
use xai_files::{Failure, Files};
use xai_metrics::attribution::Scoring;
use xai_metrics::attribution::evaluation::Remark;
use xai_metrics::attribution::{Activation, Layout, input};

use crate::Context;
use crate::described::word;
use crate::usage::interval_options::IntervalOptions;
use xai_files::onnx::{ImageLayout, engine::EngineOptions};

/// `--channels`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Channels {
    /// `(n, height, width, channels)`
    Last,
    /// `(n, channels, height, width)`
    First,
}

impl Channels {
    fn of(layout: Layout) -> Self {
        match layout {
            Layout::ChannelsFirst => Self::First,
            _ => Self::Last,
        }
    }

    /// The layout of images; of other inputs it is known by the number of their axes.
    fn layout(self) -> Option<Layout> {
        (self == Self::First).then_some(Layout::ChannelsFirst)
    }

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Last => "last",
        }
    }
}

/// How inputs and maps are read.
#[derive(Debug, Args)]
pub(super) struct LayoutOptions {
    /// Where images have their channels. Default: where the model takes them, else where alone the shape has an
    /// axis of at most 4; where neither tells it has to be said.
    #[arg(long, value_enum)]
    channels: Option<Channels>,
}

/// As many channels as images have: gray, RGB, RGB with transparency. Their sides are longer.
const MOST_CHANNELS: usize = 4;

/// Where an array of images has its channels, if only one reading makes images of it.
fn channels_of(shape: &[usize]) -> Option<Channels> {
    let few = |n: usize| n <= MOST_CHANNELS;
    match *shape {
        [_, first, _, last] if few(first) && !few(last) => Some(Channels::First),
        [_, first, _, last] if few(last) && !few(first) => Some(Channels::Last),
        _ => None,
    }
}

/// How scores are taken from the model.
#[derive(Debug, Args)]
pub(super) struct ScoringOptions {
    /// What is applied to the model's outputs.
    #[arg(long, value_parser = word::<Activation>(), default_value = "none")]
    activation: Activation,
    #[command(flatten)]
    layout: LayoutOptions,
    /// Rows the model is called with at once. Default: as many as 4 MiB hold, at most 4096; of larger rows 64, or as many as 32 MiB hold.
    #[arg(long, value_name = "N", value_parser = crate::whole_number::in_range(1..=u32::MAX))]
    batch_size: Option<u32>,
    /// Takes a model whose answer to a row depends on the other rows of the call, which is an error otherwise.
    #[arg(long)]
    allow_batch_dependence: bool,
    /// The class that all maps explain, 0 or 1, for a model of two classes. Default: the class of each sample's target.
    #[arg(long, value_name = "CLASS", value_parser = crate::whole_number::in_range(0..=1_u32))]
    explained_class: Option<u32>,
    #[command(flatten)]
    pub(super) engine: EngineOptions,
}

/// How inputs or maps of a shape are read.
pub(crate) struct Reading {
    pub(crate) layout: Option<Layout>,
    /// Where images have their channels.
    pub(crate) channels: Option<Channels>,
    /// What was assumed because nobody said it, for the person who reads the result.
    pub(crate) assumed: Vec<Remark>,
}

impl Reading {
    /// By what was asked for, else by what the file of a model says, else by the shape.
    fn new(
        asked: Option<Channels>,
        (what, shape): (&str, &[usize]),
        (known, likely): (Option<Layout>, Option<Layout>),
    ) -> Result<Self, Failure> {
        let is_image = shape.len() == 4;
        let told = || match (known, likely.map(Channels::of), channels_of(shape)) {
            (Some(layout), ..) => Some((Channels::of(layout), ", as the model takes them")),
            (None, Some(likely), by_shape) if by_shape.is_none_or(|it| it == likely) => {
                Some((likely, ", as PyTorch has them, which exported the model"))
            }
            (None, None, Some(by_shape)) => Some((by_shape, "")),
            _ => None,
        };
        let (channels, assumed) = match (asked, is_image) {
            (None, true) => {
                let (channels, why) = told().ok_or_else(|| {
                    Failure::for_option(
                        "--channels",
                        format_args!(
                            "{what} of shape {shape:?} may have their channels first or last"
                        ),
                    )
                    .help("pass --channels first, as PyTorch has images, or --channels last")
                })?;
                let place = channels.word();
                let assumed = format!(
                    "images of shape {shape:?} were read with their channels {place}{why}; --channels, or `channels` in a study, decides"
                );
                (Some(channels), Some(assumed))
            }
            (asked, _) => (asked, None),
        };
        Ok(Self {
            layout: channels.and_then(Channels::layout),
            channels: channels.filter(|_| is_image),
            assumed: assumed
                .map(|text| Remark::new("channels", text))
                .into_iter()
                .collect(),
        })
    }

    /// Says what was assumed, beside a result.
    pub(crate) fn say(&self, context: &Context) {
        for assumed in &self.assumed {
            context.remark(&assumed.text);
        }
    }
}

impl LayoutOptions {
    /// How maps of a shape are read that come without inputs.
    pub(super) fn of_maps(&self, shape: &[usize]) -> Result<Reading, Failure> {
        Reading::new(self.channels, ("maps", shape), (None, None))
    }
}

impl ScoringOptions {
    /// How inputs of a shape are read that go into a model, or into an explainer.
    pub(super) fn reading(&self, shape: &[usize], images: ImageLayout) -> Result<Reading, Failure> {
        let of_model = (images.known, images.likely);
        Reading::new(self.layout.channels, ("inputs", shape), of_model)
    }

    pub(super) fn scoring(&self, reading: &Reading) -> Scoring {
        Scoring {
            activation: self.activation,
            batch_size: self.batch_size.map(|rows| rows as usize),
            allow_batch_dependence: self.allow_batch_dependence,
            layout: reading.layout,
            explained_class: self.explained_class.map(|class| class as usize),
        }
    }
}

/// The options of the parameters that are not called as they are.
pub(super) fn names() -> Files<'static> {
    Files::new().options(&IntervalOptions::NAMES).options(&[
        (input::ACTIVATION, "--activation"),
        (input::BATCH_SIZE, "--batch-size"),
        (input::EXPLAINED_CLASS, "--explained-class"),
        (input::EXPLAINERS, "--explanations"),
        (input::METRICS, "--metrics"),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_are_told_by_the_shape_where_only_one_reading_makes_images() {
        for (shape, expected) in [
            (&[5, 1, 8, 9][..], Some(Channels::First)),
            (&[5, 3, 32, 32], Some(Channels::First)),
            (&[5, 32, 32, 3], Some(Channels::Last)),
            (&[5, 28, 28, 1], Some(Channels::Last)),
            (&[5, 8, 8, 8], None),
            (&[5, 3, 32, 3], None),
            (&[5, 3, 32], None),
        ] {
            assert_eq!(channels_of(shape), expected, "{shape:?}");
        }
    }
}
