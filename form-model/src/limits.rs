//! The limits on schemas, forms and answers.

use serde::{Deserialize, Serialize};

/// Declares a struct of limits. A limit is one entry: its documentation, name, type and default.
///
/// The macro writes the struct, its `Default`, and for each limit a setter of the same name. It is
/// exported for `mrtr-core`, which declares its own limits with it.
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
    /// The limits on a schema, on the form that it describes, and on an answer.
    ///
    /// Each limit has a safe default and a setter of the same name. A schema over a limit is
    /// refused. The code is [`RefusalCode::OverLimit`](crate::RefusalCode::OverLimit), with one
    /// exception: see [`answer_bytes_max`](field@Self::answer_bytes_max).
    ///
    /// A limit on a text counts bytes of UTF-8 after JSON escapes are resolved. A limit on *JSON
    /// text* counts the bytes as they are written, escapes included; its documentation says so.
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
        /// The most bytes of a schema's JSON text. They are checked before anything is read.
        schema_bytes_max: usize = 256 * 1024,
        /// The most levels of objects and arrays in a schema.
        depth_max: usize = 64,
        /// The most members outside the subset, such as unknown keywords, in one object of the
        /// schema.
        unknown_members_max: usize = 64,
        /// The most notes on one schema. A schema with more notes is refused.
        notes_max: usize = 1024,
        /// The most fields of a form.
        fields_max: usize = 128,
        /// The most options of one choice.
        options_max: usize = 4096,
        /// The most bytes of each of these: a field's name, a `format`, a `$schema`.
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
        /// [`Content::decode`](crate::Content::decode) checks it, and so does `Content`'s
        /// `Deserialize`, with the default. [`Form::accept`](crate::Form::accept) and
        /// [`Draft::submit`](crate::Draft::submit) do not.
        ///
        /// The decoder refuses a form whose shortest answer is longer than this. It also refuses a
        /// form with an optional field that cannot be answered within this limit. If the
        /// `minLength` of one field alone is too large for an answer, the code of the refusal is
        /// [`RefusalCode::Unsatisfiable`](crate::RefusalCode::Unsatisfiable).
        answer_bytes_max: usize = 256 * 1024,
    }
}
