//! Texts of strangers: what must hold of each, and odd ones to try it on.
//!
//! A check takes any text, panics if something does not hold, and says whether the text was taken.
//! Fuzz targets and property tests share it: one target hands it bytes, and a second one beside it
//! texts that are well formed and [`odd`]. `fuzz/README.md` lists the targets.

pub mod form;
pub mod frame;
pub mod odd;
pub mod record;
pub mod request;
pub mod responses;
pub mod result;
pub mod shown;
mod sound;
pub mod token;
pub mod trace;
pub mod url;
pub mod wire;
