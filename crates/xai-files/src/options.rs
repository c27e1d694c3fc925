//! The options of explanations by training cases of `xai-scale explain`, as arguments of `clap`.

use clap::Args;
use xai_core::describe::Parameter;
use xai_core::{Distance, Kernel};

/// Which training cases of a sample are its nearest.
#[derive(Debug, Clone, Default, Args)]
pub struct Neighbors {
    /// Neighbours per case. Default: 5.
    #[arg(short, long)]
    pub k: Option<usize>,
    /// Take the features as they are, instead of in units of their spread.
    #[arg(long)]
    pub no_scale: bool,
}

impl Neighbors {
    /// Neighbours per case where none are asked for.
    pub const DEFAULT_K: usize = 5;

    /// Whether one of the options is given.
    pub fn any_given(&self) -> bool {
        self.k.is_some() || self.no_scale
    }
}

/// How neighbours are weighted by their distance.
#[derive(Debug, Clone, Default, Args)]
pub struct Weighting {
    #[arg(
        long = "weighting",
        value_name = "KERNEL",
        help = format!("{}. Default: inverse-cube", <Kernel as Parameter>::KIND)
    )]
    /// The kernel that was chosen.
    pub kernel: Option<Kernel>,
}

impl Weighting {
    /// The kernel: the one that was chosen, else the inverse cube.
    pub fn kernel(&self) -> Kernel {
        self.kernel.unwrap_or_default()
    }
}

/// What the help of `--metric` says; `others` are distances that one program alone has.
pub fn metric_help(others: &str) -> String {
    format!(
        "{}{others}. Default: euclidean",
        <Distance as Parameter>::KIND
    )
}
