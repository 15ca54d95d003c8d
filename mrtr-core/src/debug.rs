//! `Debug` for values that may hold secrets.

/// Implements `Debug` for a type. After the type comes a name for the value, and then the output, as
/// for [`write!`]: the kind of the value, and sizes.
macro_rules! debug {
    ($type:ty, |$value:ident| $($output:tt)+) => {
        /// The output has no secret.
        impl core::fmt::Debug for $type {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                let $value = self;
                write!(f, $($output)+)
            }
        }
    };
}

pub(crate) use debug;
