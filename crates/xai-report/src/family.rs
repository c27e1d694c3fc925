//! The families of metrics, which the sections of a report belong to.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A family of metrics, or the simulation study of one.
///
/// ```
/// use xai_report::Family;
/// assert_eq!(Family::from_key("graph"), Some(Family::Graph));
/// assert_eq!(Family::ALL.map(Family::key), [
///     "casebased", "attribution", "texts", "data_attribution", "graph", "repro", "simulation"
/// ]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Case-based explanations: predictions beside their nearest training cases.
    Casebased,
    /// Attribution maps.
    Attribution,
    /// Attributions of the tokens of texts.
    Texts,
    /// Attributions to training cases.
    DataAttribution,
    /// Explanatory subgraphs.
    Graph,
    /// Repeated runs of one method.
    Repro,
    /// The simulation study of the reproducibility metrics.
    Simulation,
}

impl Family {
    /// All families, in the order of the page.
    pub const ALL: [Self; 7] = [
        Self::Casebased,
        Self::Attribution,
        Self::Texts,
        Self::DataAttribution,
        Self::Graph,
        Self::Repro,
        Self::Simulation,
    ];

    /// The family of a key of `report.json`.
    #[must_use]
    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|family| family.key() == key)
    }

    /// The key of its sections in `report.json` and in a study.
    #[must_use]
    pub const fn key(self) -> &'static str {
        self.words().key
    }

    /// The title of its part of the page.
    #[must_use]
    pub const fn title(self) -> &'static str {
        self.words().title
    }

    /// What its sections answer.
    #[must_use]
    pub const fn question(self) -> &'static str {
        self.words().question
    }

    /// What a reader must not take the numbers for.
    pub(crate) const fn limits(self) -> &'static [&'static str] {
        self.words().limits
    }

    const fn words(self) -> Words {
        match self {
            Self::Casebased => Words {
                key: "casebased",
                title: "Case-based explanations",
                question: "Do predictions agree with their nearest training cases?",
                limits: &[
                    "Agreement with precedents is not correctness: neighbours can agree with a wrong prediction.",
                    "The levels are conventions.",
                ],
            },
            Self::Attribution => Words {
                key: "attribution",
                title: "Attribution maps",
                question: "How good are attribution maps of a model?",
                limits: &[
                    "A masked input is unlike the training data: a drop mixes the worth of the map with the model's reaction to inputs it never saw.",
                    "Compare maps of one model, not models.",
                    "A metric that ranks an explainer first does not make its maps true; metrics ask different things and can disagree.",
                ],
            },
            Self::Texts => Words {
                key: "texts",
                title: "Texts",
                question: "Which words speak for a prediction, and do people mark the same?",
                limits: &[
                    "What people mark is what convinces them: a model may use other words, and its explanation be right.",
                    "Compare explanations of one model.",
                ],
            },
            Self::DataAttribution => Words {
                key: "data_attribution",
                title: "Attributions to training cases",
                question: "How good are explanations of predictions by training cases?",
                limits: &[
                    "Only metrics that train again ask what training does; the others ask for something that good attributions should find, and an explainer that finds it need not be faithful.",
                    "Training cases that are hard, not mislabeled, have large scores, too.",
                    "Intervals are over test cases: they do not say how another training would change the numbers.",
                ],
            },
            Self::Graph => Words {
                key: "graph",
                title: "Explanatory subgraphs",
                question: "Are explanatory subgraphs sufficient and necessary?",
                limits: &[
                    "A graph with edges removed is unlike the training data: fidelity mixes the worth of the explanation with the model's reaction to that.",
                    "Compare explanations of one model, at equal size.",
                    "The edges that are called true are those that made the label when the data was made; a model may use others.",
                ],
            },
            Self::Repro => Words {
                key: "repro",
                title: "Repeated runs",
                question: "Do repeated trainings make the same predictions, and the same errors?",
                limits: &[
                    "Agreement is not truth: runs can share their mistakes, and high agreement comes cheap to accurate models.",
                    "Pairs share runs, so they are not independent: the intervals resample runs, not pairs.",
                    "Kappa assumes independent raters, which runs of one method are not; read it beside percent agreement.",
                ],
            },
            Self::Simulation => Words {
                key: "simulation",
                title: "Simulation study",
                question: "How do the reproducibility metrics behave where the truth is known?",
                limits: &[
                    "The laws of labels and errors, the number of classes and the share of copied errors vary within each point.",
                    "Simulated errors are simpler than those of trained models.",
                ],
            },
        }
    }
}

/// What is said of a family.
struct Words {
    key: &'static str,
    title: &'static str,
    question: &'static str,
    limits: &'static [&'static str],
}

/// What a section is called and what it was made from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Origin {
    /// The family and the number of the section in it: `casebased-1`. The anchor on the page.
    pub id: String,
    /// The key of the family in the study: `casebased`.
    pub family: String,
    /// The name that the study gives the section.
    pub name: String,
    /// The seed of what is random in it.
    pub seed: u64,
    /// What its numbers depend on besides files, seed and settings of single metrics: options and their values, defaults
    /// included. Empty where it is not known.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// The commands that give the numbers of the section, to be run in the folder of the study.
    pub commands: Vec<String>,
    /// Every file that was read.
    pub files: Vec<InputFile>,
    /// What a reader may overlook: columns left out, channels assumed, what was sampled for the page.
    pub remarks: Vec<String>,
}

impl Origin {
    /// The origin of the `number`-th section of a family, counted from 1, that was made from no file.
    ///
    /// ```
    /// use xai_report::{Family, Origin};
    /// let origin = Origin::new(Family::Repro, 2, "24 small networks");
    /// assert_eq!((origin.id.as_str(), origin.family.as_str()), ("repro-2", "repro"));
    /// ```
    #[must_use]
    pub fn new(family: Family, number: usize, name: impl Into<String>) -> Self {
        Self {
            id: format!("{}-{number}", family.key()),
            family: family.key().to_owned(),
            name: name.into(),
            seed: 1,
            settings: BTreeMap::new(),
            commands: Vec::new(),
            files: Vec::new(),
            remarks: Vec::new(),
        }
    }
}

/// A file that was read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InputFile {
    /// Its path, as the study has it.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256 in hexadecimal, as `sha256sum` prints it; `None` for what is no regular file.
    pub sha256: Option<String>,
}
