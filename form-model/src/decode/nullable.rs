//! `anyOf` and `oneOf` of a schema and null: the schema is merged into the field.

use alloc::{format, vec::Vec};

use super::{
    keywords::{Branch, Keywords},
    path::Path,
    reader::Reader,
    refuse::{Read, outside},
};
use crate::NoteCode;

/// The branch that became a part of the field.
pub(super) struct Branched {
    pub(super) keyword: &'static str,
    pub(super) index: usize,
    /// Whether all constraints of the field are in the branch.
    pub(super) all: bool,
}

/// Merges the schema of an `anyOf` or `oneOf` with null into the field. Returns its branch, if
/// there is one.
pub(super) fn unwrap_nullable_branch(
    reader: &mut Reader<'_>,
    path: &Path<'_>,
    keywords: &mut Keywords<'_>,
) -> Read<Option<Branched>> {
    let mut branched = None;
    for (keyword, inner) in [
        ("anyOf", take_nullable(&mut keywords.any_of)),
        ("oneOf", take_nullable(&mut keywords.one_of)),
    ] {
        let Some((index, inner)) = inner else { continue };
        let here = path.member(keyword);
        let all = keywords.types.is_none() && keywords.constrains_nothing_but_default();
        let types_agree = match (keywords.types, inner.types) {
            (Some(outer), Some(inner)) => outer.one == inner.one,
            _ => true,
        };
        if !types_agree || !keywords.merge(inner) {
            let message = format!(
                "expected each constraint once, found the same keyword in the field and in its \
                 {keyword}"
            );
            return Err(outside(&here, &message));
        }
        reader.note(NoteCode::NormalizedNullable, &here)?;
        branched = Some(Branched { keyword, index, all });
    }
    Ok(branched)
}

/// Takes the schema, and its index, out of branches that are a schema and null.
fn take_nullable<'de>(branches: &mut Option<Vec<Branch<'de>>>) -> Option<(usize, Keywords<'de>)> {
    match branches.as_deref() {
        Some([Branch::Null, Branch::Schema(_)] | [Branch::Schema(_), Branch::Null]) => {}
        _ => return None,
    }
    branches.take()?.into_iter().enumerate().find_map(|(index, branch)| match branch {
        Branch::Schema(keywords) => Some((index, *keywords)),
        Branch::Null | Branch::Option { .. } => None,
    })
}

impl<'de> Keywords<'de> {
    /// Merges the schema of a branch into this one. Returns false if both have the same constraint.
    /// Titles, descriptions and defaults may come twice: those of the field are kept.
    fn merge(&mut self, inner: Self) -> bool {
        fn take<T>(outer: &mut Option<T>, inner: Option<T>) -> bool {
            if outer.is_some() && inner.is_some() {
                return false;
            }
            *outer = outer.take().or(inner);
            true
        }
        self.title = self.title.take().or(inner.title);
        self.description = self.description.take().or(inner.description);
        self.default_is_outer = self.default.is_some();
        self.default = self.default.or(inner.default);
        self.types = inner.types.or(self.types);
        take(&mut self.format, inner.format)
            && take(&mut self.values, inner.values)
            && take(&mut self.names, inner.names)
            && take(&mut self.constant, inner.constant)
            && take(&mut self.one_of, inner.one_of)
            && take(&mut self.any_of, inner.any_of)
            && take(&mut self.items, inner.items)
            && take(&mut self.length_min, inner.length_min)
            && take(&mut self.length_max, inner.length_max)
            && take(&mut self.items_min, inner.items_min)
            && take(&mut self.items_max, inner.items_max)
            && take(&mut self.minimum, inner.minimum)
            && take(&mut self.maximum, inner.maximum)
            && take(&mut self.exclusive_minimum, inner.exclusive_minimum)
            && take(&mut self.exclusive_maximum, inner.exclusive_maximum)
    }
}
