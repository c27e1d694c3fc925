//! What an error of the library is about, as data.
//!
//! Stands in for the accessors `input()` and `help()` of the error itself.

use xai_metrics::Error;

/// An input of the library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Input(&'static str);

/// A way out that the library names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Help(&'static str);

/// Inputs that errors can be about.
pub(crate) mod input {
    use super::Input;

    macro_rules! inputs {
        ($($constant:ident = $name:literal),* $(,)?) => {
            $(#[allow(dead_code)] pub(crate) const $constant: Input = Input($name);)*
        };
    }
    inputs! {
        AGGREGATE_MINIMUM = "minimum",
        ALPHA_NEG = "alpha_neg",
        ALPHA_POS = "alpha_pos",
        BASELINE = "baseline",
        BATCH_SIZE = "batch_size",
        CLASS_WEIGHTS = "class_weights",
        COMPLEMENT = "complement",
        DISTANCES = "distances",
        DRAWS = "draws",
        EDGE_INDEX = "edge_index",
        EDGE_MASK = "edge_mask",
        EDGE_WEIGHT = "edge_weight",
        ELEMENTS = "elements",
        ENGINE = "engine",
        EXPLAINERS = "explainer",
        EXPLANATION = "explanation",
        EXPLANATIONS = "explanations",
        FEATURES = "features",
        FRACTION = "fraction",
        FULL = "full",
        GRID = "grid",
        HIGH = "high",
        INDEX = "index",
        INPUTS = "inputs",
        K = "k",
        WEIGHTING = "weighting",
        KEPT = "kept",
        LABEL = "label",
        LABELS = "labels",
        LEVEL = "level",
        LEVELS = "levels",
        MASK = "mask",
        MAX_FRACTION = "max_fraction",
        MEDIUM = "medium",
        METRIC = "metric",
        MODEL = "model",
        NEG_FIDELITY = "neg_fidelity",
        NEG_WEIGHT = "neg_weight",
        N_CLASSES = "n_classes",
        N_SUBSETS = "n_subsets",
        NODES = "nodes",
        POINTS = "points",
        POS_FIDELITY = "pos_fidelity",
        POS_WEIGHT = "pos_weight",
        PREDICTED = "predicted",
        PREDICTIONS = "predictions",
        QUERIES = "queries",
        REPLICATES = "replicates",
        RUNS = "runs",
        SAMPLES = "samples",
        SCORES = "scores",
        STEPS = "steps",
        TARGET = "target",
        TARGETS = "targets",
        THRESHOLD = "threshold",
        TOP_K = "top_k",
        TRAIN = "train",
        TRAINING = "training",
        TRUTHS = "truths",
        X = "x",
    }
}

/// Ways out that the library names.
pub(crate) mod help {
    use super::Help;

    pub(crate) const ACTIVATION_OR_POLICY: Help = Help("BaseScorePolicy");
    pub(crate) const BERNOULLI: Help = Help("Bernoulli");
    pub(crate) const LOGITS: Help = Help("logits");
    pub(crate) const LOGITS_OR_BERNOULLI: Help = Help("Logits");
}

/// The parts of an error.
pub(super) struct About {
    /// What it is about, in words.
    what: String,
    pub(super) is_parameter: bool,
    /// What is wrong, without the way out.
    pub(super) problem: String,
    /// The way out in terms of the library.
    pub(super) help: Option<String>,
}

impl About {
    pub(super) fn new(error: &Error) -> Self {
        let what = match error {
            Error::ShapeMismatch { what, .. }
            | Error::Empty { what }
            | Error::TooFew { what, .. }
            | Error::NonFinite { what, .. }
            | Error::OutOfDomain { what, .. }
            | Error::Io { what, .. }
            | Error::Corrupt { what, .. }
            | Error::Refused { what, .. } => what.to_string(),
            Error::InvalidParameter { name, .. } => name.to_string(),
            Error::LabelOutOfRange { .. } => "label".to_owned(),
            Error::UndefinedScore { .. } => "scores".to_owned(),
            _ => "model".to_owned(),
        };
        let whole = error.to_string();
        let (problem, help) = match whole.split_once(';') {
            None => (whole, None),
            Some((problem, advice)) => {
                let at = advice.rfind(", got ").unwrap_or(advice.len());
                let (advice, got) = advice.split_at(at);
                (format!("{problem}{got}"), Some(advice.trim().to_owned()))
            }
        };
        Self {
            what,
            is_parameter: matches!(error, Error::InvalidParameter { .. }),
            problem,
            help,
        }
    }

    pub(super) fn is_about(&self, input: Input) -> bool {
        let word = |c: char| !(c.is_alphanumeric() || c == '_');
        self.what.split(word).any(|word| word == input.0)
    }

    pub(super) fn offers(&self, help: Help) -> bool {
        self.help.as_ref().is_some_and(|text| text.contains(help.0))
    }
}
