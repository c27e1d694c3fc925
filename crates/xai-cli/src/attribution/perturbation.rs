//! How inputs are perturbed step by step.

use clap::Args;
use xai_metrics::attribution::Baseline;

/// How inputs are perturbed step by step.
#[derive(Debug, Args)]
pub(super) struct PerturbationOptions {
    /// Steps of the curve, or `all` for one per position.
    #[arg(long, value_name = "N", default_value = "10", value_parser = steps)]
    steps: Steps,
    /// The share of positions that the last step has flipped.
    #[arg(long, value_name = "SHARE", default_value_t = 1.0)]
    pub(super) max_fraction: f64,
    /// What stands for absence: a number, a number per channel, `mean` or `blur:SIGMA`.
    #[arg(
        long,
        value_name = "VALUE",
        default_value = "0.0",
        allow_hyphen_values = true,
        value_parser = baseline
    )]
    pub(super) baseline: Baseline,
}

impl PerturbationOptions {
    /// The number of steps; `None` for one per position.
    pub(super) fn steps(&self) -> Option<usize> {
        self.steps.0
    }
}

/// A number of steps, or one per position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Steps(Option<usize>);

fn steps(text: &str) -> Result<Steps, &'static str> {
    match (text, text.parse()) {
        ("all", _) => Ok(Steps(None)),
        (_, Ok(steps)) if steps > 0 => Ok(Steps(Some(steps))),
        _ => Err("expected a number of steps, at least 1, or all"),
    }
}

fn baseline(text: &str) -> Result<Baseline, &'static str> {
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|x| x.is_finite());
    let expected = "expected a number, a number a channel (0.5,0.4,0.4), mean, or blur:SIGMA";
    if text == "mean" {
        return Ok(Baseline::DatasetMean);
    }
    if let Some(sigma) = text.strip_prefix("blur:") {
        let sigma = number(sigma).filter(|sigma| *sigma > 0.0);
        return sigma.map(|sigma| Baseline::Blur { sigma }).ok_or(expected);
    }
    let numbers: Option<Vec<f64>> = text.split(',').map(number).collect();
    match numbers.as_deref() {
        None => Err(expected),
        Some([value]) => Ok(Baseline::Value(*value)),
        Some(channels) => Ok(Baseline::Channels(channels.to_vec())),
    }
}
