//! The workspace's sources, as text, as tokens, and as paths from file to file.

pub(super) mod imports;
pub(super) mod modules;
pub(super) mod tokens;
pub(super) mod tree;
