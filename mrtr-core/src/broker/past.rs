//! How the questions of late ended, for who answers too late.

use alloc::collections::BTreeMap;

use super::{Ending, InteractionId};
use crate::SessionId;

/// Is the questions that ended last, up to a limit.
#[derive(Clone, Debug, PartialEq, Default)]
pub(super) struct Past {
    ended: BTreeMap<InteractionId, (SessionId, Ending)>,
}

impl Past {
    /// Adds a question, and forgets the one of the oldest invocation if there are too many.
    pub(super) fn insert(
        &mut self,
        interaction: InteractionId,
        session: SessionId,
        how: Ending,
        past_max: usize,
    ) {
        self.ended.insert(interaction, (session, how));
        if self.ended.len() > past_max {
            self.ended.pop_first();
        }
    }

    /// Returns whose question it was, and how it ended.
    pub(super) fn get(&self, interaction: InteractionId) -> Option<&(SessionId, Ending)> {
        self.ended.get(&interaction)
    }
}
