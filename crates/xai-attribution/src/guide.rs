//! Which metric answers which question, and which of them tend to disagree.
//!
#![doc = include_str!("../GUIDE.md")]
