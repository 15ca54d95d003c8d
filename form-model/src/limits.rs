//! Bounds on what a form and an answer may hold.

use serde::{Deserialize, Serialize};

/// Bounds what a decoder reads and keeps. Every bound has a safe default and can be changed.
///
/// Bytes are bytes of UTF-8, after JSON escapes are resolved.
///
/// ```
/// use form_model::Limits;
///
/// let limits = Limits { fields_max: 12, ..Limits::default() };
/// assert_eq!(limits.schema_bytes_max, 256 * 1024);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Limits {
    /// Bytes of the schema text. Checked before anything is read. Default 256 KiB.
    pub schema_bytes_max: usize,
    /// Levels of objects and arrays in the schema. Default 64; no more than 120 is of use.
    pub depth_max: usize,
    /// Members of one schema object that are outside the form subset. Default 64.
    pub unknown_members_max: usize,
    /// Notes on the whole. Default 1,024.
    pub notes_max: usize,
    /// Fields of the form. Default 128.
    pub fields_max: usize,
    /// Options of one choice. Default 4,096.
    pub options_max: usize,
    /// Bytes of a field's name. Default 1 KiB.
    pub name_bytes_max: usize,
    /// Bytes of a title, of the form, a field or an option. Default 1 KiB.
    pub title_bytes_max: usize,
    /// Bytes of a description. Default 8 KiB.
    pub description_bytes_max: usize,
    /// Bytes of one option's value. Default 1 KiB.
    pub option_bytes_max: usize,
    /// Bytes of JSON text of one default. Default 8 KiB.
    pub default_bytes_max: usize,
    /// Bytes of JSON text of an answer's content. Default 256 KiB.
    ///
    /// A form whose shortest answer is longer than this, or that has a field for which no room is
    /// left, can not be answered, and is refused.
    pub answer_bytes_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            schema_bytes_max: 256 * 1024,
            depth_max: 64,
            unknown_members_max: 64,
            notes_max: 1024,
            fields_max: 128,
            options_max: 4096,
            name_bytes_max: 1024,
            title_bytes_max: 1024,
            description_bytes_max: 8 * 1024,
            option_bytes_max: 1024,
            default_bytes_max: 8 * 1024,
            answer_bytes_max: 256 * 1024,
        }
    }
}
