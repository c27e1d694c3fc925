//! Advice on how to avoid an error.

use std::fmt;

/// Advice on how to avoid an error, in terms of the library.
///
/// It is a constant like [`Input`](crate::Input), so that a program with other terms (a command
/// line, a binding) can recognise it and give the same advice in its own terms.
///
/// ```
/// use xai_core::{Error, Help, input};
/// pub const SCALE: Help = Help::new("scale the maps down");
/// let error = Error::non_finite(input::EXPLANATIONS, &[0]).with_help(SCALE);
/// assert_eq!(error.help(), Some(SCALE));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Help(&'static str);

impl Help {
    /// Creates an advice. Parameters and their values are written in braces, see
    /// [`render`](Self::render).
    #[must_use]
    pub const fn new(text: &'static str) -> Self {
        Self(text)
    }

    /// Formats the text with settings as a front end writes them. `{returns=logits}` is replaced by
    /// the result of `setting` for the parameter name and its value, `{threshold}` by its result
    /// for the name alone.
    ///
    /// ```
    /// use xai_core::Help;
    /// let help = Help::new("for raw scores choose {return_type=logits}");
    /// assert_eq!(help.to_string(), "for raw scores choose return_type = logits");
    /// let option = help.render(|name, value| format!("--{name} {}", value.unwrap_or("VALUE")));
    /// assert_eq!(option, "for raw scores choose --return_type logits");
    /// ```
    pub fn render(self, setting: impl Fn(&str, Option<&str>) -> String) -> String {
        let mut text = String::new();
        let mut rest = self.0;
        while let Some((before, (inside, after))) = rest
            .split_once('{')
            .and_then(|(before, after)| Some((before, after.split_once('}')?)))
        {
            text.push_str(before);
            text.push_str(&match inside.split_once('=') {
                Some((name, value)) => setting(name, Some(value)),
                None => setting(inside, None),
            });
            rest = after;
        }
        text + rest
    }
}

impl fmt::Display for Help {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.render(|name, value| match value {
            Some(value) => format!("{name} = {value}"),
            None => format!("`{name}`"),
        }))
    }
}

impl fmt::Debug for Help {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Help({:?})", self.0)
    }
}
