//! Data of the section about texts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xai_core::Result;
use xai_core::evaluation::EvaluationTable;

use crate::origin::Origin;
use crate::sections::compared::Compared;
use crate::sections::compared::shown::shown;

/// Largest number of tokens of a text that are shown.
const MAX_TOKENS: usize = 300;

/// Section about texts: do explainers mark the words that people mark?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Texts {
    /// Name and inputs of the section.
    #[serde(flatten)]
    pub origin: Origin,
    /// Comparison of the explainers by metrics of agreement with the tokens that people marked; without
    /// metrics if there are no marked tokens.
    #[serde(flatten)]
    pub compared: Compared,
    /// Number of texts in which all explainers have their largest attribution (with its sign) at the
    /// same token; left out if there is only one explainer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n_same_largest: Option<usize>,
    /// Texts that are shown.
    pub texts: Vec<ShownText>,
}

/// A text with the attributions of its tokens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ShownText {
    /// Index of the text, from 0.
    pub sample: usize,
    /// Its name, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its tokens, at most the first 300.
    pub tokens: Vec<String>,
    /// Number of further tokens, which are not shown.
    pub n_more: usize,
    /// For each shown token, whether people marked it.
    pub rationale: Option<Vec<bool>>,
    /// Attributions of the shown tokens, `[explainer][token]`.
    pub attributions: Vec<Vec<f64>>,
}

/// Texts, what people marked in them, and the attributions `[explainer][text][token]`.
#[derive(Debug, Clone, Copy)]
pub struct TextData<'a> {
    /// Tokens of each text.
    pub tokens: &'a [Vec<String>],
    /// Names of the texts, if they have any.
    pub names: Option<&'a [String]>,
    /// For each token, whether people marked it, `[text][token]`.
    pub rationales: Option<&'a [Vec<bool>]>,
    /// Attributions of the tokens, `[explainer][text][token]`.
    pub attributions: &'a [&'a [Vec<f64>]],
}

impl Texts {
    /// Creates the section from an evaluation of explainers and the texts that were explained.
    ///
    /// It shows up to two of the best and two of the worst texts by the first metric with a better end,
    /// for the explainer that this metric ranks first. If there is no such metric, or it ranks no
    /// explainer, it shows up to four evenly spaced texts.
    ///
    /// # Errors
    /// `NonFinite` for a value that is NaN or infinite, which evaluations never return.
    ///
    /// ```
    /// use xai_core::evaluation::{EvaluationValues, Statistics};
    /// use xai_report::sections::texts::{TextData, Texts};
    /// use xai_report::Origin;
    /// let table = EvaluationValues::new(["mine"], 1, Vec::new()).table(&Statistics::default())?;
    /// let tokens = [vec!["not".to_owned(), "bad".to_owned()]];
    /// let attributions = [vec![0.5, -0.25]];
    /// let data = TextData { tokens: &tokens, names: None, rationales: None, attributions: &[&attributions] };
    /// let section = Texts::new(Origin::new(&Texts::KIND, 1, "Reviews"), &table, data)?;
    /// assert_eq!(section.texts[0].attributions[0], [0.5, -0.25]);
    /// # Ok::<(), xai_core::Error>(())
    /// ```
    pub fn new(origin: Origin, table: &EvaluationTable, data: TextData<'_>) -> Result<Self> {
        let shown = shown(table, data.tokens.len());
        let texts = shown.into_iter().map(|sample| ShownText::new(sample, data));
        let samples = 0..data.tokens.len();
        let is_same = |sample: &usize| {
            let mut largest = data.attributions.iter().map(|maps| largest(&maps[*sample]));
            let first = largest.next();
            largest.all(|other| Some(other) == first)
        };
        Ok(Self {
            origin,
            compared: Compared::new(table)?,
            n_same_largest: (data.attributions.len() > 1).then(|| samples.filter(is_same).count()),
            texts: texts.collect(),
        })
    }
}

impl ShownText {
    fn new(sample: usize, data: TextData<'_>) -> Self {
        let tokens = &data.tokens[sample];
        let n = tokens.len().min(MAX_TOKENS);
        let of_explainers = data.attributions.iter();
        Self {
            sample,
            name: data.names.map(|names| names[sample].clone()),
            tokens: tokens[..n].to_vec(),
            n_more: tokens.len() - n,
            rationale: data.rationales.map(|texts| texts[sample][..n].to_vec()),
            attributions: of_explainers
                .map(|maps| maps[sample][..n].to_vec())
                .collect(),
        }
    }

    /// The name of the text, or its number.
    pub(crate) fn title(&self) -> String {
        match &self.name {
            Some(name) => name.clone(),
            None => self.sample.to_string(),
        }
    }

    /// Separator between two tokens: empty if any token starts or ends with white space, otherwise a
    /// space.
    pub(crate) fn between(&self) -> &'static str {
        let is_space = |c: Option<char>| c.is_some_and(char::is_whitespace);
        let mut tokens = self.tokens.iter();
        let has_own =
            |token: &String| is_space(token.chars().next()) || is_space(token.chars().next_back());
        if tokens.any(has_own) { "" } else { " " }
    }
}

/// Position of the largest attribution (with its sign); the first of several equal ones. `None` for a
/// text without tokens.
fn largest(map: &[f64]) -> Option<usize> {
    let places = map.iter().enumerate();
    let largest = places.reduce(|best, other| if other.1 > best.1 { other } else { best });
    largest.map(|(place, _)| place)
}
