//! What a person sees who waits.

use std::borrow::Cow;
use std::ops::Deref;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work that takes longer than this has a bar.
const PATIENCE: Duration = Duration::from_secs(1);
/// Between two looks of a bar while nothing moves on.
const TICK: Duration = Duration::from_millis(200);

/// A bar on standard error, if that is a terminal; gone when dropped.
pub(crate) struct Progress(ProgressBar);

/// What a bar tells.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    /// How many of some items, how fast, and the time left.
    Items(u64),
    /// How many of the bytes of a file, how fast, and the time left.
    Bytes(u64),
    /// How many items, and how fast, of a number that nobody knows before.
    Counter,
    /// That work goes on, and since when.
    Spinner,
}

impl Kind {
    fn template(self) -> &'static str {
        match self {
            Self::Items(_) => "{msg} [{bar:40}] {pos}/{len} {per_sec}, {eta} left",
            Self::Bytes(_) => "{msg} [{bar:40}] {bytes}/{total_bytes} {bytes_per_sec}, {eta} left",
            Self::Counter => "{spinner} {msg} {pos} {per_sec}, {elapsed}",
            Self::Spinner => "{spinner} {msg} {elapsed}",
        }
    }

    fn length(self) -> Option<u64> {
        match self {
            Self::Items(n) | Self::Bytes(n) => Some(n),
            Self::Counter | Self::Spinner => None,
        }
    }
}

impl Progress {
    /// A bar that nobody sees before the work has taken its time, and nobody at all who did not ask.
    pub(crate) fn new(kind: Kind, what: impl Into<Cow<'static, str>>, is_shown: bool) -> Self {
        let bar = ProgressBar::with_draw_target(kind.length(), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(kind.template()) {
            bar.set_style(style);
        }
        bar.set_message(what);
        if is_shown {
            let patient = bar.clone();
            std::thread::spawn(move || {
                std::thread::sleep(PATIENCE);
                if !patient.is_finished() {
                    patient.set_draw_target(ProgressDrawTarget::stderr());
                    patient.enable_steady_tick(TICK);
                }
            });
        }
        Self(bar)
    }
}

impl Deref for Progress {
    type Target = ProgressBar;

    fn deref(&self) -> &ProgressBar {
        &self.0
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_gone_when_dropped_also_where_work_stops_early() {
        let progress = Progress::new(Kind::Spinner, "working", false);
        let bar = progress.0.clone();
        assert!(!bar.is_finished());
        drop(progress);
        assert!(bar.is_finished());
    }

    #[test]
    fn every_bar_of_known_length_tells_rate_and_time_left() {
        for kind in [Kind::Items(2), Kind::Bytes(2)] {
            let template = kind.template();
            assert!(template.contains("per_sec") && template.contains("{eta}"));
        }
        for kind in [Kind::Items(2), Kind::Bytes(2), Kind::Counter, Kind::Spinner] {
            assert!(ProgressStyle::with_template(kind.template()).is_ok());
        }
    }
}
