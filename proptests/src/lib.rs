//! Holds what the tests of this package share: what they check, they check across the crates.
