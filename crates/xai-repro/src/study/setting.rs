//! What a draw of the study tries the metrics on.

use xai_core::random::{Xoshiro256PlusPlus, uniform, uniform_index};

use crate::simulate::class_distribution::ClassDistribution;
use crate::simulate::predictions::{ErrorSet, RunErrors};

/// The setting of one draw.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Setting {
    pub(super) n_classes: usize,
    pub(super) label_distribution: ClassDistribution,
    pub(super) error_distribution: ClassDistribution,
    pub(super) error_reversed: bool,
    pub(super) errors: RunErrors,
}

impl Setting {
    /// Draws a setting of at most so many classes, at least two.
    pub(super) fn draw(max_classes: usize, stream: &mut Xoshiro256PlusPlus) -> Self {
        // What is drawn, and in which order, is what draws are reproducible by.
        let n_classes = 2 + uniform_index(stream, max_classes - 1);
        let mut distribution =
            || ClassDistribution::ALL[uniform_index(stream, ClassDistribution::ALL.len())];
        let (label_distribution, error_distribution) = (distribution(), distribution());
        let mut coin = || uniform_index(stream, 2) == 1;
        let (error_reversed, dependent, variable) = (coin(), coin(), coin());
        let max_error_share = uniform(stream);
        let copied = uniform(stream);
        Self {
            n_classes,
            label_distribution,
            error_distribution,
            error_reversed,
            errors: RunErrors {
                max_error_share,
                error_set: match variable {
                    true => ErrorSet::Variable,
                    false => ErrorSet::Fixed,
                },
                copied: dependent.then_some(copied),
            },
        }
    }
}
