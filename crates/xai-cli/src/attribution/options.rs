//! Options of the layout of arrays and of scoring by a model.

use clap::{Args, ValueEnum};
use serde::Serialize;
use xai_files::{Failure, Files};
use xai_metrics::attribution::model::Scoring;
use xai_metrics::attribution::table::Remark;
use xai_metrics::attribution::{Activation, InputLayout, input};

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
    fn from_layout(layout: InputLayout) -> Self {
        match layout {
            InputLayout::ChannelsFirst => Self::First,
            _ => Self::Last,
        }
    }

    /// The layout of images. The library infers the layout of other inputs from the number of their axes.
    fn layout(self) -> InputLayout {
        match self {
            Self::First => InputLayout::ChannelsFirst,
            Self::Last => InputLayout::ChannelsLast,
        }
    }

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Last => "last",
        }
    }
}

/// InputLayout of inputs and maps.
#[derive(Debug, Args)]
pub(crate) struct LayoutOptions {
    /// Axis of images that holds their channels. Default: the axis that the model takes, else the only one of
    /// at most 4 elements; required if there is neither.
    #[arg(long, value_enum)]
    channels: Option<Channels>,
}

/// Largest number of channels of images: RGB with transparency. Sides of images are longer.
const MAX_CHANNELS: usize = 4;

/// The axis of channels of an array of images, if its shape has only one that is short enough.
fn channels_by_shape(shape: &[usize]) -> Option<Channels> {
    let few = |n: usize| n <= MAX_CHANNELS;
    match *shape {
        [_, first, _, last] if few(first) && !few(last) => Some(Channels::First),
        [_, first, _, last] if few(last) && !few(first) => Some(Channels::Last),
        _ => None,
    }
}

/// Scoring by the model.
#[derive(Debug, Args)]
pub(crate) struct ScoringOptions {
    /// Activation that is applied to the outputs of the model.
    #[arg(long, value_parser = word::<Activation>(), default_value = "none")]
    activation: Activation,
    #[command(flatten)]
    layout: LayoutOptions,
    /// Largest number of rows per call of the model. Default: of tables as many as 4 MiB hold, 64 to 16384; of other
    /// inputs 64, or 32 if a row exceeds 256 KiB; at most 32 MiB.
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

/// InputLayout of an array of inputs or maps.
pub(crate) struct ArrayReading {
    pub(crate) layout: Option<InputLayout>,
    /// The axis of channels of images.
    pub(crate) channels: Option<Channels>,
    /// Assumptions about what no option says, for the reader of the result.
    pub(crate) assumed: Vec<Remark>,
}

impl ArrayReading {
    /// The layout by the option, else by the file of a model, else by the shape. Fails for images if none of them
    /// decides, or if the likely layout of the model contradicts the shape.
    fn new(
        option: Option<Channels>,
        (what, shape): (&str, &[usize]),
        (known, likely): (Option<InputLayout>, Option<InputLayout>),
    ) -> Result<Self, Failure> {
        let is_image = shape.len() == 4;
        let inferred = || match (
            known,
            likely.map(Channels::from_layout),
            channels_by_shape(shape),
        ) {
            (Some(layout), ..) => {
                Some((Channels::from_layout(layout), ", as the model takes them"))
            }
            (None, Some(likely), by_shape) if by_shape.is_none_or(|it| it == likely) => {
                Some((likely, ", as PyTorch has them, which exported the model"))
            }
            (None, None, Some(by_shape)) => Some((by_shape, "")),
            _ => None,
        };
        let (channels, assumed) = match (option, is_image) {
            (None, true) => {
                let (channels, why) = inferred().ok_or_else(|| {
                    Failure::for_option(
                        "--channels",
                        format_args!(
                            "{what} of shape {shape:?} may have their channels first or last"
                        ),
                    )
                    .help("pass --channels first, as PyTorch has images, or --channels last")
                })?;
                let axis = channels.word();
                let assumed = format!(
                    "images of shape {shape:?} were read with their channels {axis}{why}; --channels, or `channels` in a study, decides"
                );
                (Some(channels), Some(assumed))
            }
            (option, _) => (option, None),
        };
        Ok(Self {
            layout: channels.map(Channels::layout),
            channels: channels.filter(|_| is_image),
            assumed: assumed
                .map(|text| Remark::new("channels", text))
                .into_iter()
                .collect(),
        })
    }

    /// Prints the assumptions as remarks.
    pub(crate) fn remark(&self, context: &Context) {
        for assumed in &self.assumed {
            context.remark(&assumed.text);
        }
    }
}

impl LayoutOptions {
    /// The layout of maps without inputs.
    pub(super) fn reading(&self, shape: &[usize]) -> Result<ArrayReading, Failure> {
        ArrayReading::new(self.channels, ("maps", shape), (None, None))
    }
}

impl ScoringOptions {
    /// The layout of inputs of a model or an explainer.
    pub(super) fn reading(
        &self,
        shape: &[usize],
        images: ImageLayout,
    ) -> Result<ArrayReading, Failure> {
        let model_layouts = (images.known, images.likely);
        ArrayReading::new(self.layout.channels, ("inputs", shape), model_layouts)
    }

    pub(super) fn scoring(&self, reading: &ArrayReading) -> Scoring {
        Scoring {
            activation: self.activation,
            batch_size: self.batch_size.map(|rows| rows as usize),
            allow_batch_dependence: self.allow_batch_dependence,
            layout: reading.layout,
            explained_class: self.explained_class.map(|class| class as usize),
        }
    }
}

/// The options of inputs and parameters with other names.
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
    fn channels_are_inferred_from_shapes_with_one_short_axis() {
        for (shape, expected) in [
            (&[5, 1, 8, 9][..], Some(Channels::First)),
            (&[5, 3, 32, 32], Some(Channels::First)),
            (&[5, 32, 32, 3], Some(Channels::Last)),
            (&[5, 28, 28, 1], Some(Channels::Last)),
            (&[5, 8, 8, 8], None),
            (&[5, 3, 32, 3], None),
            (&[5, 3, 32], None),
        ] {
            assert_eq!(channels_by_shape(shape), expected, "{shape:?}");
        }
    }
}
