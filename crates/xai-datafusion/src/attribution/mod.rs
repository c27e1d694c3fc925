//! Attribution: base and masked scores that exist already.

pub(crate) mod scores;
