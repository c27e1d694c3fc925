//! Progress bars.

use std::borrow::Cow;
use std::ops::Deref;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Time after which a bar is shown.
const DELAY: Duration = Duration::from_secs(1);
/// Time between redraws of a bar, with or without progress.
const TICK: Duration = Duration::from_millis(200);

/// A progress bar on standard error, if that is a terminal. Dropping it removes the bar.
pub(crate) struct Progress(ProgressBar);

/// Measure of progress that a bar shows.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ProgressKind {
    /// Items out of a known number, items per second and the time left.
    Items(u64),
    /// Bytes out of the size of a file, bytes per second and the time left.
    Bytes(u64),
    /// Items out of an unknown number, items per second and the time so far.
    Counter,
    /// The time so far.
    Spinner,
}

impl ProgressKind {
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
    /// Creates a bar that appears after a second, or never if `is_shown` is `false`.
    pub(crate) fn new(
        kind: ProgressKind,
        what: impl Into<Cow<'static, str>>,
        is_shown: bool,
    ) -> Self {
        let bar = ProgressBar::with_draw_target(kind.length(), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(kind.template()) {
            bar.set_style(style);
        }
        bar.set_message(what);
        if is_shown {
            let delayed = bar.clone();
            std::thread::spawn(move || {
                std::thread::sleep(DELAY);
                if !delayed.is_finished() {
                    delayed.set_draw_target(ProgressDrawTarget::stderr());
                    delayed.enable_steady_tick(TICK);
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
    fn dropping_a_bar_finishes_it() {
        let progress = Progress::new(ProgressKind::Spinner, "working", false);
        let bar = progress.0.clone();
        assert!(!bar.is_finished());
        drop(progress);
        assert!(bar.is_finished());
    }

    #[test]
    fn bars_of_known_length_show_rate_and_time_left() {
        for kind in [ProgressKind::Items(2), ProgressKind::Bytes(2)] {
            let template = kind.template();
            assert!(template.contains("per_sec") && template.contains("{eta}"));
        }
        for kind in [
            ProgressKind::Items(2),
            ProgressKind::Bytes(2),
            ProgressKind::Counter,
            ProgressKind::Spinner,
        ] {
            assert!(ProgressStyle::with_template(kind.template()).is_ok());
        }
    }
}
