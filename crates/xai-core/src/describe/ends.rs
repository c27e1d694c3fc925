//! Boundary values of parameters, for the tests of everything that has parameters.

use crate::describe::kind::{End, Kind, Range, Word};
use crate::describe::parameters::{Parameters, with};
use crate::describe::value::Value;
use crate::error::ErrorKind;

/// Numbers just outside a range.
fn just_outside(range: &Range) -> impl Iterator<Item = f64> + use<> {
    let below = match range.low {
        End::Included(low) => Some(low - 1.0),
        End::Excluded(low) => Some(low),
        End::Unbounded | End::OfData(_) => None,
    };
    let above = match range.high {
        End::Included(high) => Some(high + 1.0),
        End::Excluded(high) => Some(high),
        End::Unbounded | End::OfData(_) => None,
    };
    below.into_iter().chain(above)
}

/// Values at the ends of the ranges of a kind, and every word.
pub fn ends(kind: &Kind) -> Vec<Value> {
    let included = |range: &Range| {
        let ends = [range.low, range.high].into_iter();
        ends.filter_map(|end| match end {
            End::Included(end) => Some(end),
            End::Excluded(_) | End::Unbounded | End::OfData(_) => None,
        })
    };
    match kind {
        Kind::Real(range) => included(range).map(Value::Real).collect(),
        Kind::Integer(range) => included(range)
            .map(|end| Value::Integer(end as i64))
            .collect(),
        Kind::Flag => vec![true.into(), false.into()],
        Kind::Words(words) => {
            let of_word = |word: &Word| {
                let alone = word
                    .value
                    .is_none_or(|value| value.has_default)
                    .then(|| word.name.into());
                let behind = word.value.map_or_else(Vec::new, |value| ends(value.kind));
                let behind = behind
                    .into_iter()
                    .map(|end| Value::Text(format!("{}:{end}", word.name)));
                alone.into_iter().chain(behind).collect::<Vec<_>>()
            };
            words.iter().flat_map(of_word).collect()
        }
        Kind::List(item) => ends(item)
            .into_iter()
            .map(|item| Value::List(vec![item]))
            .collect(),
        Kind::OneOf(kinds) => kinds.iter().flat_map(ends).collect(),
    }
}

/// Values that a kind refuses, each also as text.
pub fn outside(kind: &Kind) -> Vec<Value> {
    let mut values: Vec<Value> = match kind {
        Kind::Real(range) => {
            let numbers = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
            let numbers = numbers.into_iter().chain(just_outside(range));
            numbers.map(Value::Real).chain([true.into()]).collect()
        }
        Kind::Integer(range) => {
            let numbers = just_outside(range).map(|number| Value::Integer(number as i64));
            numbers.chain([0.5.into(), true.into()]).collect()
        }
        Kind::Flag => vec![2.5.into()],
        Kind::Words(words) => {
            let behind = words.iter().flat_map(|word| {
                let wrong = word
                    .value
                    .map_or_else(Vec::new, |value| outside(value.kind));
                let of_word = |value| Value::Text(format!("{}:{value}", word.name));
                wrong.into_iter().map(of_word).collect::<Vec<_>>()
            });
            behind.chain([true.into()]).collect()
        }
        Kind::List(item) => {
            let items = outside(item)
                .into_iter()
                .map(|item| Value::List(vec![item]));
            items.chain([true.into()]).collect()
        }
        // One kind may accept what another refuses.
        Kind::OneOf(kinds) => {
            let values = kinds.iter().flat_map(outside);
            return values.filter(|value| !kind.admits(value)).collect();
        }
    };
    values.extend(["no such value".into(), "".into()]);
    let text = values.iter().map(|value| Value::Text(value.to_string()));
    values.extend(text.collect::<Vec<_>>());
    values
}

fn has_list(kind: &Kind) -> bool {
    match kind {
        Kind::List(_) => true,
        Kind::Words(words) => {
            let mut behind = words.iter().filter_map(|word| word.value);
            behind.any(|value| has_list(value.kind))
        }
        Kind::OneOf(kinds) => kinds.iter().any(has_list),
        Kind::Real(_) | Kind::Integer(_) | Kind::Flag => false,
    }
}

/// Checks the parameters of `defaults`, and returns a copy for each boundary value of each parameter, with the setting
/// as text.
///
/// Copies with a number above 5,000 are checked but not returned, because as many draws take minutes.
///
/// # Panics
/// If a parameter has no documentation, accepts a value outside its kind or refuses one of its kind (lists may be
/// refused, because a kind does not express their length), or if an error is not about the parameter.
#[must_use]
pub fn at_ends<P: Parameters + Clone>(defaults: &P) -> Vec<(String, P)> {
    let mut all = Vec::new();
    for param in defaults.params() {
        assert!(!param.doc.is_empty(), "{}", param.name);
        let set = |value: &Value| with(defaults.clone(), [(param.name, value.clone())]);
        for value in outside(&param.kind) {
            let setting = format!("{} = {value:?}", param.name);
            let error = set(&value)
                .err()
                .unwrap_or_else(|| panic!("{setting} is accepted"));
            assert_eq!(error.input().name(), param.name, "{setting}: {error}");
            assert!(
                matches!(error.kind(), ErrorKind::InvalidParameter { .. }),
                "{setting}: {error}"
            );
        }
        for value in ends(&param.kind).into_iter().chain([param.value.clone()]) {
            let setting = format!("{} = {value}", param.name);
            let number = value.to_string().rsplit(':').next().map(str::parse::<f64>);
            let is_long = number.is_some_and(|number| number.is_ok_and(|number| number > 5000.0));
            match set(&value) {
                Ok(with_value) if !is_long => all.push((setting, with_value)),
                Ok(_) => {}
                // Kinds of lists do not express the length, which may be fixed.
                Err(error) => assert!(has_list(&param.kind), "{setting}: {error}"),
            }
        }
    }
    all
}
