//! Turns panics of an engine into errors.

use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook, take_hook};
use std::sync::Once;

/// Calls the engine, and turns a panic into an error with its message.
///
/// The engine checks most of a model but not everything, and an unexpected model must not look like a bug of the command.
pub(super) fn caught<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |panic| {
            if !is_of_engine(panic) {
                usual(panic);
            }
        }));
    });
    catch_unwind(AssertUnwindSafe(call)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        format!("the engine stopped: {}", text.unwrap_or("no reason given"))
    })
}

/// Whether a panic comes from a source file of an engine.
fn is_of_engine(panic: &PanicHookInfo<'_>) -> bool {
    panic.location().is_some_and(|location| {
        let mut folders = location.file().split(['/', '\\']);
        folders.any(|folder| folder.starts_with("rten-") || folder.starts_with("ort-"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_with_its_message() {
        let reason = caught(|| -> u8 { panic!("axis {}", 7) }).unwrap_err();
        assert!(reason.ends_with("axis 7"), "{reason}");
        let reason = caught(|| -> u8 { panic!("no such axis") }).unwrap_err();
        assert!(reason.ends_with("no such axis"), "{reason}");
        assert_eq!(caught(|| 7), Ok(7));
    }
}
