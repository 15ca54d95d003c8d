//! Places in a schema, as JSON pointers.

use alloc::string::{String, ToString};

/// A place in the schema. It is a list through the stack frames of the decoder, so that nothing is
/// allocated until a pointer is written.
#[derive(Clone, Copy)]
pub(super) enum Path<'p> {
    Root,
    Member(&'p Path<'p>, &'p str),
    Element(&'p Path<'p>, usize),
}

impl<'p> Path<'p> {
    pub(super) const fn member(&'p self, name: &'p str) -> Path<'p> {
        Path::Member(self, name)
    }

    pub(super) const fn element(&'p self, index: usize) -> Path<'p> {
        Path::Element(self, index)
    }

    /// Returns the number of levels of the schema above this place.
    pub(super) fn nesting(&self) -> usize {
        match self {
            Path::Root => 0,
            Path::Member(parent, _) | Path::Element(parent, _) => parent.nesting() + 1,
        }
    }

    /// Writes the place as a JSON pointer (RFC 6901). Names are cut after 256 bytes.
    pub(super) fn pointer(&self) -> String {
        match self {
            Path::Root => String::new(),
            Path::Member(parent, name) => {
                let mut pointer = parent.pointer();
                pointer.push('/');
                for letter in shortened(name).chars() {
                    match letter {
                        '~' => pointer.push_str("~0"),
                        '/' => pointer.push_str("~1"),
                        other => pointer.push(other),
                    }
                }
                pointer
            }
            Path::Element(parent, index) => {
                let mut pointer = parent.pointer();
                pointer.push('/');
                pointer.push_str(&index.to_string());
                pointer
            }
        }
    }
}

/// Returns the pointer to a keyword of a field.
pub(crate) fn field_pointer(name: &str, keyword: &str) -> String {
    Path::Root.member("properties").member(name).member(keyword).pointer()
}

fn shortened(name: &str) -> &str {
    name.get(..name.floor_char_boundary(256)).unwrap_or(name)
}
