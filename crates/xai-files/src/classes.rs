//! Class labels in files: whole numbers, True and False, or words.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::failure::Failure;
use crate::table::cell;

/// The type of the class labels of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Whole numbers, used as they are.
    Integers,
    /// True is 1, False is 0.
    Booleans,
    /// Words, numbered from 0 in alphabetical order. Codes with leading zeros are words.
    Words,
}

impl Kind {
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
pub enum NoClass {
    /// The cell is empty or says that the value is missing.
    Missing,
    /// A number with a fraction, or an infinite one.
    Continuous,
    /// A label of another type than the other labels, with what was expected.
    Other(&'static str),
}

/// Advice on numbers where class labels are expected.
pub const CONTINUOUS: &str = "labels name classes: of probabilities (n, classes) take \
     .argmax(axis=1); runs of numbers are compared by `xai repro regression`";

impl NoClass {
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

/// A class label.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Label<'a> {
    Integer(i64),
    Boolean(bool),
    /// Digits with a leading zero.
    Code(&'a str),
    Word(&'a str),
}

impl<'a> Label<'a> {
    fn read(text: &'a str) -> Result<Self, NoClass> {
        if cell::is_code(text.as_bytes()) {
            return Ok(Self::Code(text));
        }
        if let Ok(integer) = text.parse() {
            return Ok(Self::Integer(integer));
        }
        if cell::is_missing(text) {
            return Err(NoClass::Missing);
        }
        if let Some(truth) = cell::boolean(text) {
            return Ok(Self::Boolean(truth));
        }
        match text.parse::<f64>() {
            // Beyond 2^53, doubles are always whole.
            Ok(x) if x.fract() == 0.0 && x.abs() <= 9_007_199_254_740_992.0 => {
                Ok(Self::Integer(x as i64))
            }
            Ok(_) => Err(NoClass::Continuous),
            Err(_) => Ok(Self::Word(text)),
        }
    }

    fn kind(self) -> Kind {
        match self {
            Self::Integer(_) => Kind::Integers,
            Self::Boolean(_) => Kind::Booleans,
            Self::Code(_) | Self::Word(_) => Kind::Words,
        }
    }

    /// Reads a number as a code if it has as many digits as the codes among the labels: `100` beside `007`.
    fn among_codes(self, text: &'a str, digits: Option<usize>) -> Self {
        let is_digits = text.bytes().all(|byte| byte.is_ascii_digit());
        match self {
            Self::Integer(_) if is_digits && digits == Some(text.len()) => Self::Code(text),
            label => label,
        }
    }
}

/// Collects the labels of one or several columns and numbers the classes in order of appearance.
#[derive(Debug, Clone, Default)]
pub struct ClassesBuilder {
    kind: Option<Kind>,
    /// Number of digits of the first code.
    code_digits: Option<usize>,
    /// Numbers of words.
    numbers: HashMap<Arc<str>, i64>,
    /// Words and booleans in order of appearance.
    names: Vec<(i64, Arc<str>)>,
}

/// Maps the numbers in order of appearance to the final ones.
#[derive(Debug)]
pub struct Renumbering(Vec<i64>);

impl Renumbering {
    /// Replaces numbers in order of appearance by the final ones.
    pub fn apply(&self, labels: &mut [i64]) {
        if !self.0.is_empty() {
            for label in labels {
                *label = self.0[*label as usize];
            }
        }
    }
}

impl ClassesBuilder {
    /// The provisional number of the class that a cell names.
    pub fn number(&mut self, text: &str) -> Result<i64, NoClass> {
        let label = Label::read(text)?.among_codes(text, self.code_digits);
        if let (Label::Code(_), Some(Kind::Integers)) = (label, self.kind) {
            return Err(NoClass::Other(WITHOUT_ZEROS));
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
                    let (word, number) = (Arc::<str>::from(word), self.names.len() as i64);
                    self.names.push((number, word.clone()));
                    self.numbers.insert(word, number);
                    number
                }
            },
        })
    }

    /// Declares that the labels of an array, whole numbers or booleans, belong to the classes too.
    pub fn are_numbers(&mut self, are_booleans: bool) -> Result<(), NoClass> {
        self.check(if are_booleans {
            Kind::Booleans
        } else {
            Kind::Integers
        })
    }

    /// Refuses words beside numbers. Whole numbers and booleans are one type: True is 1.
    fn check(&mut self, kind: Kind) -> Result<(), NoClass> {
        let first = *self.kind.get_or_insert(kind);
        if first == kind {
            return Ok(());
        }
        if first == Kind::Words || kind == Kind::Words {
            return Err(NoClass::Other(first.expected()));
        }
        self.kind = Some(Kind::Integers);
        Ok(())
    }

    /// Returns the classes and the map to their final numbers: words are numbered in alphabetical order.
    pub fn finish(self) -> (Renumbering, Classes) {
        let kind = self.kind.unwrap_or(Kind::Integers);
        // Booleans beside other whole numbers are shown as numbers.
        let mut names = match kind {
            Kind::Integers => Vec::new(),
            Kind::Booleans | Kind::Words => self.names,
        };
        let mut renumbering = Vec::new();
        if kind == Kind::Words {
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

/// The classes of a training set. Reads labels of other files.
#[derive(Debug, Clone)]
pub struct Classes {
    kind: Kind,
    names: BTreeMap<i64, Arc<str>>,
    numbers: HashMap<Arc<str>, i64>,
    /// Number of digits of the codes among the names.
    code_digits: Option<usize>,
    /// Words with this number or a larger one are not among the training rows.
    unseen: i64,
}

impl Default for Classes {
    /// Whole numbers.
    fn default() -> Self {
        Self::new(Kind::Integers, [])
    }
}

impl Classes {
    fn new(kind: Kind, names: impl IntoIterator<Item = (i64, Arc<str>)>) -> Self {
        let names: BTreeMap<i64, Arc<str>> = names.into_iter().collect();
        let by_name = names.iter().map(|(number, name)| (name.clone(), *number));
        Self {
            kind,
            numbers: by_name.collect(),
            code_digits: names
                .values()
                .find(|name| cell::is_code(name.as_bytes()))
                .map(|name| name.len()),
            unseen: names.keys().last().map_or(0, |last| last + 1),
            names,
        }
    }

    /// Creates the classes of a stored explainer from its class names, if it has some.
    pub fn of_names(names: &BTreeMap<i64, Arc<str>>) -> Self {
        let is_truth = |(number, name): (&i64, &Arc<str>)| {
            cell::boolean(name).is_some_and(|truth| i64::from(truth) == *number)
        };
        let kind = if names.is_empty() {
            Kind::Integers
        } else if names.iter().all(is_truth) {
            Kind::Booleans
        } else {
            Kind::Words
        };
        let names = names.iter().map(|(number, name)| (*number, name.clone()));
        Self::new(kind, names)
    }

    /// Names of the classes. Empty if the labels are numbers.
    pub fn names(&self) -> &BTreeMap<i64, Arc<str>> {
        &self.names
    }

    /// The name of a class.
    pub fn name(&self, label: i64) -> Option<Arc<str>> {
        self.names.get(&label).cloned()
    }

    /// A class as the file writes it.
    pub fn called(&self, label: i64) -> String {
        match self.names.get(&label) {
            Some(name) => name.to_string(),
            None => label.to_string(),
        }
    }

    /// The class that a cell of another file names. A class that no training row has gets a new number.
    pub fn number(&mut self, text: &str) -> Result<i64, NoClass> {
        if self.kind == Kind::Words
            && let Some(&number) = self.numbers.get(text)
        {
            return Ok(number);
        }
        match (
            self.kind,
            Label::read(text)?.among_codes(text, self.code_digits),
        ) {
            (Kind::Integers | Kind::Booleans, Label::Integer(integer)) => Ok(integer),
            (Kind::Integers | Kind::Booleans, Label::Boolean(truth)) => Ok(i64::from(truth)),
            (Kind::Words, Label::Code(word) | Label::Word(word)) => {
                let number = self.unseen + self.unseen_names().count() as i64;
                let word: Arc<str> = word.into();
                self.names.insert(number, word.clone());
                self.numbers.insert(word, number);
                Ok(number)
            }
            (kind, _) => Err(NoClass::Other(kind.expected())),
        }
    }

    /// The class that an option names.
    ///
    /// # Errors
    /// Describes what was expected.
    pub fn known(&self, text: &str) -> Result<i64, String> {
        match (self.kind, Label::read(text)) {
            (Kind::Words, _) => self.numbers.get(text).copied().ok_or_else(|| {
                let names: Vec<&str> = self.names.values().map(|name| &**name).take(20).collect();
                format!("one of the classes {}", names.join(", "))
            }),
            (_, Ok(Label::Integer(integer))) => Ok(integer),
            (_, Ok(Label::Boolean(truth))) => Ok(i64::from(truth)),
            (kind, _) => Err(kind.expected().to_owned()),
        }
    }

    /// Names of classes that occur in other files but not in a training row.
    pub fn unseen_names(&self) -> impl Iterator<Item = &Arc<str>> {
        self.names.range(self.unseen..).map(|(_, name)| name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(cells: &[&str]) -> Result<(Vec<i64>, Classes), NoClass> {
        let mut builder = ClassesBuilder::default();
        let labels: Result<Vec<i64>, NoClass> =
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
        assert_eq!(classes.called(1), "cat");
        assert_eq!(classes.number("cat"), Ok(1));
        assert_eq!(
            (classes.number("eel"), classes.number("auk")),
            (Ok(3), Ok(4))
        );
        assert_eq!(classes.number("eel"), Ok(3));
        assert_eq!(classes.unseen_names().count(), 2);
        assert!(matches!(classes.number("1"), Err(NoClass::Other(_))));
        assert!(classes.known("cat") == Ok(1) && classes.known("fox").is_err());
        let mut stored = Classes::of_names(classes.names());
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
            (truths.called(0), truths.called(1)),
            ("False".into(), "True".into())
        );
        let mut stored = Classes::of_names(truths.names());
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
            (codes.called(0), codes.number("100")),
            ("007".into(), Ok(2))
        );
        assert_eq!((codes.number("200"), codes.number("001")), (Ok(3), Ok(4)));
        // A run that is written without the zeros is not taken for one of other classes.
        for number in ["7", "7.0", "1000"] {
            assert_eq!(
                codes.number(number),
                Err(NoClass::Other(Kind::Words.expected()))
            );
            assert!(classes(&["007", number]).is_err());
        }
        let zeros = NoClass::Other(WITHOUT_ZEROS);
        assert_eq!(classes(&["100", "007"]).unwrap_err(), zeros);
        let mut stored = Classes::of_names(codes.names());
        assert_eq!((stored.number("010"), stored.number("999")), (Ok(1), Ok(5)));
        let mut numbers = classes(&["7", "100"]).unwrap().1;
        assert!(numbers.number("007").is_err());
    }

    #[test]
    fn cells_without_a_label_are_told_apart() {
        for (cells, expected) in [
            (["1", ""], NoClass::Missing),
            (["dog", "NaN"], NoClass::Missing),
            (["1", "0.5"], NoClass::Continuous),
            (["1", "inf"], NoClass::Continuous),
            (["dog", "1"], NoClass::Other(Kind::Words.expected())),
            (["1", "dog"], NoClass::Other(Kind::Integers.expected())),
            (
                ["True", "yes it is"],
                NoClass::Other(Kind::Booleans.expected()),
            ),
        ] {
            assert_eq!(classes(&cells).unwrap_err(), expected, "{cells:?}");
        }
    }
}
