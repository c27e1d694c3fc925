//! The tests of the crate as a library, as one program.

#[cfg(feature = "approximate")]
mod approximate;
mod choice;
mod classes;
mod engines;
