//! Conversion of panics of an engine to errors.

use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook, take_hook};
use std::sync::Once;

/// Calls the engine, and converts a panic to an error with its message.
///
/// Engines do not check everything in a model, and an invalid model must not look like a bug of the command.
pub(super) fn catch_panics<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    static QUIET: Once = Once::new();
    // The hook prints the message of a panic before it is caught, so it is silenced for engines.
    QUIET.call_once(|| {
        let default_hook = take_hook();
        set_hook(Box::new(move |panic| {
            if !is_engine_panic(panic) {
                default_hook(panic);
            }
        }));
    });
    catch_unwind(AssertUnwindSafe(call)).map_err(|panic| {
        let reason = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied());
        format!(
            "the engine stopped: {}",
            reason.unwrap_or("no reason given")
        )
    })
}

/// Returns whether a panic comes from a source file of an engine.
fn is_engine_panic(panic: &PanicHookInfo<'_>) -> bool {
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
        let reason = catch_panics(|| -> u8 { panic!("axis {}", 7) }).unwrap_err();
        assert!(reason.ends_with("axis 7"), "{reason}");
        let reason = catch_panics(|| -> u8 { panic!("no such axis") }).unwrap_err();
        assert!(reason.ends_with("no such axis"), "{reason}");
        assert_eq!(catch_panics(|| 7), Ok(7));
    }
}
