//! Class labels in files: whole numbers, True and False, or words.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::failure::Failure;
use crate::table::cell;

/// The type of the class labels of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LabelKind {
    /// Whole numbers, used as they are.
    Integers,
    /// True is 1, False is 0.
    Booleans,
    /// Words, numbered from 0 in alphabetical order. Codes with leading zeros are words.
    Words,
}

impl LabelKind {
    /// The expectation, for a message.
    fn expected(self) -> &'static str {
        match self {
            Self::Integers => "a whole number, as the other classes are",
            Self::Booleans => "True or False, as the other classes are",
            Self::Words => "a word, as the other classes are",
        }
    }
}

/// The reason why a cell is not a class label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelError {
    /// The cell is empty or says that the value is missing.
    Missing,
    /// A number with a fraction, an infinite number, or a number beyond 2^53 that is not written as a 64-bit integer.
    Continuous,
    /// A label of another type than the other labels, with the expectation.
    Other(&'static str),
}

/// Advice on numbers where class labels are expected.
pub const CONTINUOUS: &str = "labels name classes: of probabilities (n, classes) take \
     .argmax(axis=1); runs of numbers are compared by `xai repro regression`";

impl LabelError {
    /// The expectation, for a message.
    pub fn expected(self) -> &'static str {
        match self {
            Self::Missing => "a class, and the cell is empty or says that it is missing",
            Self::Continuous => "a class: a whole number, a word, True or False",
            Self::Other(expected) => expected,
        }
    }

    /// Adds the advice that does not depend on the command.
    pub fn help(self, failure: Failure) -> Failure {
        match self {
            Self::Missing => failure,
            Self::Other(WITHOUT_ZEROS) => failure.help(
                "codes with leading zeros are text, and all other classes are numbers: write all of them with the same number \
                 of digits and a code first, or all without leading zeros",
            ),
            Self::Continuous => failure.help(CONTINUOUS),
            Self::Other(_) => {
                failure.help("call classes by words everywhere, or by numbers everywhere")
            }
        }
    }
}

const WITHOUT_ZEROS: &str = "a whole number without leading zeros, as the other classes are";

/// A class label in a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Label<'a> {
    Integer(i64),
    Boolean(bool),
    /// Digits with a leading zero.
    Code(&'a str),
    Word(&'a str),
}

impl<'a> Label<'a> {
    fn read(text: &'a str) -> Result<Self, LabelError> {
        if cell::is_code(text.as_bytes()) {
            return Ok(Self::Code(text));
        }
        if let Ok(integer) = text.parse() {
            return Ok(Self::Integer(integer));
        }
        if cell::is_missing(text) {
            return Err(LabelError::Missing);
        }
        if let Some(truth) = cell::boolean(text) {
            return Ok(Self::Boolean(truth));
        }
        match text.parse::<f64>() {
            // Beyond 2^53, doubles are always whole.
            Ok(x) if x.fract() == 0.0 && x.abs() <= 9_007_199_254_740_992.0 => {
                Ok(Self::Integer(x as i64))
            }
            Ok(_) => Err(LabelError::Continuous),
            Err(_) => Ok(Self::Word(text)),
        }
    }

    fn kind(self) -> LabelKind {
        match self {
            Self::Integer(_) => LabelKind::Integers,
            Self::Boolean(_) => LabelKind::Booleans,
            Self::Code(_) | Self::Word(_) => LabelKind::Words,
        }
    }

    /// Reads a number as a code if it has as many digits as the codes among the labels, such as `100` in a column
    /// with `007`.
    fn among_codes(self, text: &'a str, digits: Option<usize>) -> Self {
        let is_digits = text.bytes().all(|byte| byte.is_ascii_digit());
        match self {
            Self::Integer(_) if is_digits && digits == Some(text.len()) => Self::Code(text),
            label => label,
        }
    }
}

/// Collects the labels of one or several columns. Words are numbered in order of appearance; whole numbers stand
/// for themselves, True for 1 and False for 0.
#[derive(Debug, Clone, Default)]
pub struct ClassesBuilder {
    kind: Option<LabelKind>,
    /// Number of digits of the first code.
    code_digits: Option<usize>,
    /// Numbers of words.
    numbers: HashMap<Arc<str>, i64>,
    /// Words and booleans in order of appearance.
    names: Vec<(i64, Arc<str>)>,
}

/// Maps provisional class numbers to the final ones. Only the numbers of words change.
#[derive(Debug)]
pub struct Renumbering(Vec<i64>);

impl Renumbering {
    /// Replaces provisional numbers by the final ones.
    pub fn apply(&self, labels: &mut [i64]) {
        if !self.0.is_empty() {
            for label in labels {
                *label = self.0[*label as usize];
            }
        }
    }
}

impl ClassesBuilder {
    /// Returns the provisional number of the class in a cell.
    pub fn number(&mut self, text: &str) -> Result<i64, LabelError> {
        let label = Label::read(text)?.among_codes(text, self.code_digits);
        if let (Label::Code(_), Some(LabelKind::Integers)) = (label, self.kind) {
            return Err(LabelError::Other(WITHOUT_ZEROS));
        }
        self.check(label.kind())?;
        if let Label::Code(code) = label {
            self.code_digits.get_or_insert(code.len());
        }
        Ok(match label {
            Label::Integer(integer) => integer,
            Label::Boolean(truth) => {
                let number = i64::from(truth);
                if self.names.iter().all(|(named, _)| *named != number) {
                    self.names.push((number, text.into()));
                }
                number
            }
            Label::Code(word) | Label::Word(word) => match self.numbers.get(word) {
                Some(&number) => number,
                None => {
                    let (name, number) = (Arc::<str>::from(word), self.names.len() as i64);
                    self.names.push((number, name.clone()));
                    self.numbers.insert(name, number);
                    number
                }
            },
        })
    }

    /// Returns the provisional number of the class in an option. If classes are words, it must be one that was read.
    ///
    /// # Errors
    /// Describes the expectation.
    pub fn find(&mut self, text: &str) -> Result<i64, String> {
        let (kind, n_names) = (self.kind, self.names.len());
        let number = self
            .number(text)
            .map_err(|error| error.expected().to_owned())?;
        if kind == Some(LabelKind::Words) && self.names.len() > n_names {
            return Err(one_of(self.names[..n_names].iter().map(|(_, name)| name)));
        }
        Ok(number)
    }

    /// Declares that the classes also include the labels of an array, which are whole numbers or booleans.
    pub fn declare_numbers(&mut self, are_booleans: bool) -> Result<(), LabelError> {
        self.check(if are_booleans {
            LabelKind::Booleans
        } else {
            LabelKind::Integers
        })
    }

    /// Refuses a mixture of words and numbers. Whole numbers and booleans may be mixed, because True is 1.
    fn check(&mut self, kind: LabelKind) -> Result<(), LabelError> {
        let first = *self.kind.get_or_insert(kind);
        if first == kind {
            return Ok(());
        }
        if first == LabelKind::Words || kind == LabelKind::Words {
            return Err(LabelError::Other(first.expected()));
        }
        self.kind = Some(LabelKind::Integers);
        Ok(())
    }

    /// Returns the classes and the map to their final numbers: words are numbered in alphabetical order.
    pub fn finish(self) -> (Renumbering, Classes) {
        let kind = self.kind.unwrap_or(LabelKind::Integers);
        // Booleans mixed with other whole numbers are shown as numbers.
        let mut names = match kind {
            LabelKind::Integers => Vec::new(),
            LabelKind::Booleans | LabelKind::Words => self.names,
        };
        let mut renumbering = Vec::new();
        if kind == LabelKind::Words {
            names.sort_by(|(_, a), (_, b)| a.cmp(b));
            renumbering = vec![0; names.len()];
            for (after, (before, _)) in names.iter_mut().enumerate() {
                renumbering[*before as usize] = after as i64;
                *before = after as i64;
            }
        }
        (Renumbering(renumbering), Classes::new(kind, names))
    }
}

/// The classes of a training set, for reading the labels of other files.
#[derive(Debug, Clone)]
pub struct Classes {
    kind: LabelKind,
    names: BTreeMap<i64, Arc<str>>,
    numbers: HashMap<Arc<str>, i64>,
    /// Number of digits of the first code among the names; `None` if no name is a code.
    code_digits: Option<usize>,
    /// First number for words that do not occur in the training rows.
    unseen: i64,
}

impl Default for Classes {
    /// Classes that are whole numbers.
    fn default() -> Self {
        Self::new(LabelKind::Integers, [])
    }
}

impl Classes {
    fn new(kind: LabelKind, names: impl IntoIterator<Item = (i64, Arc<str>)>) -> Self {
        let by_number: BTreeMap<i64, Arc<str>> = names.into_iter().collect();
        let by_name = by_number
            .iter()
            .map(|(number, name)| (name.clone(), *number));
        Self {
            kind,
            numbers: by_name.collect(),
            code_digits: by_number
                .values()
                .find(|name| cell::is_code(name.as_bytes()))
                .map(|name| name.len()),
            unseen: by_number.keys().last().map_or(0, |last| last + 1),
            names: by_number,
        }
    }

    /// Creates the classes of a stored explainer from its class names, if it has some.
    pub fn from_names(names: &BTreeMap<i64, Arc<str>>) -> Self {
        let is_truth = |(number, name): (&i64, &Arc<str>)| {
            cell::boolean(name).is_some_and(|truth| i64::from(truth) == *number)
        };
        let kind = if names.is_empty() {
            LabelKind::Integers
        } else if names.iter().all(is_truth) {
            LabelKind::Booleans
        } else {
            LabelKind::Words
        };
        let pairs = names.iter().map(|(number, name)| (*number, name.clone()));
        Self::new(kind, pairs)
    }

    /// Names of the classes. Empty if the labels are numbers.
    pub fn names(&self) -> &BTreeMap<i64, Arc<str>> {
        &self.names
    }

    /// The name of a class; `None` if classes are numbers, or the class is unknown.
    pub fn name(&self, label: i64) -> Option<Arc<str>> {
        self.names.get(&label).cloned()
    }

    /// The name of a class, or its number if it has no name.
    pub fn display_name(&self, label: i64) -> String {
        match self.names.get(&label) {
            Some(name) => name.to_string(),
            None => label.to_string(),
        }
    }

    /// Returns the number of the class in a cell of another file. A word that no training row has gets a new number.
    pub fn number(&mut self, text: &str) -> Result<i64, LabelError> {
        if self.kind == LabelKind::Words
            && let Some(&number) = self.numbers.get(text)
        {
            return Ok(number);
        }
        match (
            self.kind,
            Label::read(text)?.among_codes(text, self.code_digits),
        ) {
            (LabelKind::Integers | LabelKind::Booleans, Label::Integer(integer)) => Ok(integer),
            (LabelKind::Integers | LabelKind::Booleans, Label::Boolean(truth)) => {
                Ok(i64::from(truth))
            }
            (LabelKind::Words, Label::Code(word) | Label::Word(word)) => {
                let number = self.unseen + self.unseen_names().count() as i64;
                let word: Arc<str> = word.into();
                self.names.insert(number, word.clone());
                self.numbers.insert(word, number);
                Ok(number)
            }
            (kind, _) => Err(LabelError::Other(kind.expected())),
        }
    }

    /// Returns the number of the class in an option. A word must be among the known classes.
    ///
    /// # Errors
    /// Describes the expectation.
    pub fn find(&self, text: &str) -> Result<i64, String> {
        match (self.kind, Label::read(text)) {
            (LabelKind::Words, _) => self
                .numbers
                .get(text)
                .copied()
                .ok_or_else(|| one_of(self.names.values())),
            (_, Ok(Label::Integer(integer))) => Ok(integer),
            (_, Ok(Label::Boolean(truth))) => Ok(i64::from(truth)),
            (kind, _) => Err(kind.expected().to_owned()),
        }
    }

    /// Names of classes that occur in other files but not in the training rows.
    pub fn unseen_names(&self) -> impl Iterator<Item = &Arc<str>> {
        self.names.range(self.unseen..).map(|(_, name)| name)
    }
}

/// Lists the first names as an expectation.
fn one_of<'a>(names: impl Iterator<Item = &'a Arc<str>>) -> String {
    let names: Vec<&str> = names.map(|name| &**name).take(20).collect();
    format!("one of the classes {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(cells: &[&str]) -> Result<(Vec<i64>, Classes), LabelError> {
        let mut builder = ClassesBuilder::default();
        let labels: Result<Vec<i64>, LabelError> =
            cells.iter().map(|cell| builder.number(cell)).collect();
        let mut labels = labels?;
        let (renumbering, classes) = builder.finish();
        renumbering.apply(&mut labels);
        Ok((labels, classes))
    }

    #[test]
    fn words_are_numbered_in_their_order() {
        let (labels, mut classes) = classes(&["dog", "cat", "dog", "ape"]).unwrap();
        assert_eq!(labels, [2, 1, 2, 0]);
        assert_eq!(classes.display_name(1), "cat");
        assert_eq!(classes.number("cat"), Ok(1));
        assert_eq!(
            (classes.number("eel"), classes.number("auk")),
            (Ok(3), Ok(4))
        );
        assert_eq!(classes.number("eel"), Ok(3));
        assert_eq!(classes.unseen_names().count(), 2);
        assert!(matches!(classes.number("1"), Err(LabelError::Other(_))));
        assert!(classes.find("cat") == Ok(1) && classes.find("fox").is_err());
        let mut stored = Classes::from_names(classes.names());
        assert_eq!((stored.number("ape"), stored.number("emu")), (Ok(0), Ok(5)));
    }

    #[test]
    fn numbers_stand_for_themselves_and_truth_for_1() {
        let (labels, mut numbers) = classes(&["3", "-1", "1.0", "+2"]).unwrap();
        assert_eq!(labels, [3, -1, 1, 2]);
        assert!(numbers.names().is_empty());
        assert_eq!(
            (numbers.number("7.0"), numbers.number("True")),
            (Ok(7), Ok(1))
        );
        let (labels, truths) = classes(&["True", "False", "True"]).unwrap();
        assert_eq!(labels, [1, 0, 1]);
        assert_eq!(
            (truths.display_name(0), truths.display_name(1)),
            ("False".into(), "True".into())
        );
        let mut stored = Classes::from_names(truths.names());
        assert_eq!((stored.number("True"), stored.number("0")), (Ok(1), Ok(0)));
        for mixed in [["True", "0", "2"], ["0", "True", "2"]] {
            let (labels, classes) = classes(&mixed).unwrap();
            assert_eq!(
                labels,
                mixed.map(|cell| if cell == "True" {
                    1
                } else {
                    cell.parse().unwrap()
                })
            );
            assert!(classes.names().is_empty());
        }
    }

    #[test]
    fn codes_with_leading_zeros_are_words_of_one_length() {
        let (labels, mut codes) = classes(&["007", "100", "010", "100"]).unwrap();
        assert_eq!(labels, [0, 2, 1, 2]);
        assert_eq!(
            (codes.display_name(0), codes.number("100")),
            ("007".into(), Ok(2))
        );
        assert_eq!((codes.number("200"), codes.number("001")), (Ok(3), Ok(4)));
        // A run that is written without the zeros is not taken for one of other classes.
        for number in ["7", "7.0", "1000"] {
            assert_eq!(
                codes.number(number),
                Err(LabelError::Other(LabelKind::Words.expected()))
            );
            assert!(classes(&["007", number]).is_err());
        }
        let zeros = LabelError::Other(WITHOUT_ZEROS);
        assert_eq!(classes(&["100", "007"]).unwrap_err(), zeros);
        let mut stored = Classes::from_names(codes.names());
        assert_eq!((stored.number("010"), stored.number("999")), (Ok(1), Ok(5)));
        let mut numbers = classes(&["7", "100"]).unwrap().1;
        assert!(numbers.number("007").is_err());
    }

    #[test]
    fn missing_labels_have_distinct_messages() {
        for (cells, expected) in [
            (["1", ""], LabelError::Missing),
            (["dog", "NaN"], LabelError::Missing),
            (["1", "0.5"], LabelError::Continuous),
            (["1", "inf"], LabelError::Continuous),
            (["dog", "1"], LabelError::Other(LabelKind::Words.expected())),
            (
                ["1", "dog"],
                LabelError::Other(LabelKind::Integers.expected()),
            ),
            (
                ["True", "yes it is"],
                LabelError::Other(LabelKind::Booleans.expected()),
            ),
        ] {
            assert_eq!(classes(&cells).unwrap_err(), expected, "{cells:?}");
        }
    }
}
