//! Stand-ins for what the next `xai-core` has; removed when it lands.
use std::borrow::Cow;
use xai_core::Error;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Input(&'static str);
impl Input {
    pub const fn new(name: &'static str) -> Self { Self(name) }
    pub const fn name(self) -> &'static str { self.0 }
}
impl From<Input> for Cow<'static, str> {
    fn from(i: Input) -> Self { Cow::Borrowed(i.0) }
}
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Help(#[allow(dead_code)] &'static str);
impl Help {
    pub const fn new(text: &'static str) -> Self { Self(text) }
}
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Direction { Lower, Higher, None }
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MetricInfo {
    pub name: &'static str,
    pub question: &'static str,
    pub direction: Direction,
    pub range: &'static str,
    pub needs: &'static [Input],
    pub source: &'static str,
}
pub trait ErrorNext: Sized {
    fn with_help(self, _: Help) -> Self { self }
    fn owner(self, _: impl Into<Cow<'static, str>>) -> Self { self }
    fn part(self, _: impl Into<Cow<'static, str>>) -> Self { self }
    fn shifted(self, axis: usize, by: usize) -> Self;
}
impl ErrorNext for Error {
    fn shifted(mut self, axis: usize, by: usize) -> Self {
        match &mut self {
            Error::NonFinite { index, .. } | Error::OutOfDomain { index, .. } => {
                if let Some(i) = index.get_mut(axis) { *i += by; }
            }
            Error::UndefinedScore { index, .. } | Error::LabelOutOfRange { index, .. } => *index += by,
            _ => {}
        }
        self
    }
}
pub fn non_finite(input: Input, index: &[usize]) -> Error {
    Error::NonFinite { what: input.into(), index: index.to_vec() }
}
pub fn undefined_score(_: Input, index: usize, value: f64, why: &'static str) -> Error {
    Error::UndefinedScore { index, value, why: why.into() }
}
