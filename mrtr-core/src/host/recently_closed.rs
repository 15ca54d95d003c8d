//! Recently closed questions, for late answers.

use alloc::collections::{BTreeMap, VecDeque};

use super::{Ending, InteractionId};
use crate::id::SessionId;

/// The questions that ended most recently, up to a limit.
#[derive(Clone, Debug, PartialEq, Hash, Default)]
pub(super) struct RecentlyClosed {
    ended: BTreeMap<InteractionId, (SessionId, Ending)>,
    /// The order in which they ended.
    order: VecDeque<InteractionId>,
}

impl RecentlyClosed {
    /// Adds a question. If there are too many questions, the oldest is forgotten.
    pub(super) fn insert(
        &mut self,
        interaction: InteractionId,
        session: SessionId,
        how: Ending,
        recently_closed_max: usize,
    ) {
        self.ended.insert(interaction, (session, how));
        self.order.push_back(interaction);
        if self.order.len() > recently_closed_max
            && let Some(first) = self.order.pop_front()
        {
            self.ended.remove(&first);
        }
    }

    /// Returns the session of a question, and how the question ended.
    pub(super) fn get(&self, interaction: InteractionId) -> Option<&(SessionId, Ending)> {
        self.ended.get(&interaction)
    }
}
