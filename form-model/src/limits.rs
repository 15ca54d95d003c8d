//! The limits of what a form and an answer may hold.

use serde::{Deserialize, Serialize};

/// Declares a struct of limits. A limit is one entry: its documentation, name, type and default.
///
/// The macro writes the struct, its `Default`, and for each limit a setter of the same name. It is
/// exported for `mrtr-core`, which declares its own limits by it.
#[doc(hidden)]
#[macro_export]
macro_rules! limits {
    (
        $(#[$outer:meta])*
        pub struct $name:ident {
            $(
                $(#[doc = $doc:expr])+
                $(#[serde($($serde:tt)+)])?
                $limit:ident: $type:ty = $default:expr,
            )+
        }
    ) => {
        $(#[$outer])*
        #[non_exhaustive]
        pub struct $name {
            $(
                $(#[doc = $doc])+
                #[doc = ""]
                #[doc = concat!("Default: `", stringify!($default), "`.")]
                $(#[serde($($serde)+)])?
                pub $limit: $type,
            )+
        }

        impl ::core::default::Default for $name {
            fn default() -> Self {
                Self { $($limit: $default,)+ }
            }
        }

        impl $name {
            $(
                #[doc = concat!("Sets [`", stringify!($limit), "`](field@Self::", stringify!($limit), ").")]
                #[must_use]
                pub fn $limit(mut self, $limit: $type) -> Self {
                    self.$limit = $limit;
                    self
                }
            )+
        }
    };
}

limits! {
    /// The limits of a decoder, and of an answer to a form.
    ///
    /// Each limit has a safe default and a setter of the same name. Bytes are bytes of UTF-8, after
    /// JSON escapes are resolved. What is over a limit is refused.
    ///
    /// ```
    /// use form_model::Limits;
    ///
    /// let limits = Limits::default().fields_max(12).answer_bytes_max(4096);
    /// assert_eq!(limits.fields_max, 12);
    /// assert_eq!(limits.schema_bytes_max, 256 * 1024);
    /// ```
    #[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "camelCase", default, deny_unknown_fields)]
    pub struct Limits {
        /// The most bytes of the schema text, escapes included. Checked before anything is read.
        schema_bytes_max: usize = 256 * 1024,
        /// The most levels of objects and arrays in the schema.
        depth_max: usize = 64,
        /// The most members of one schema object that are outside the form subset.
        unknown_members_max: usize = 64,
        /// The most notes on one schema.
        notes_max: usize = 1024,
        /// The most fields of a form.
        fields_max: usize = 128,
        /// The most options of one choice.
        options_max: usize = 4096,
        /// The most bytes of a field's name.
        name_bytes_max: usize = 1024,
        /// The most bytes of the title of a form, a field or an option.
        title_bytes_max: usize = 1024,
        /// The most bytes of a description.
        description_bytes_max: usize = 8 * 1024,
        /// The most bytes of an option's value.
        option_bytes_max: usize = 1024,
        /// The most bytes of the JSON text of one default.
        default_bytes_max: usize = 8 * 1024,
        /// The most bytes of the JSON text of an answer.
        ///
        /// A form is refused if its shortest answer is longer than this. It is also refused if one
        /// of its optional fields can never be answered within this limit.
        answer_bytes_max: usize = 256 * 1024,
    }
}
