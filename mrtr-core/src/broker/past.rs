//! How the questions of late ended, for who answers too late.

use alloc::collections::{BTreeMap, VecDeque};

use super::{Ending, InteractionId};
use crate::SessionId;

/// Is the questions that ended last, up to a limit.
#[derive(Clone, Debug, PartialEq, Hash, Default)]
pub(super) struct Past {
    ended: BTreeMap<InteractionId, (SessionId, Ending)>,
    /// In the order in which they ended.
    order: VecDeque<InteractionId>,
}

impl Past {
    /// Adds a question, and forgets the one that ended first if there are too many.
    pub(super) fn insert(
        &mut self,
        interaction: InteractionId,
        session: SessionId,
        how: Ending,
        past_max: usize,
    ) {
        self.ended.insert(interaction, (session, how));
        self.order.push_back(interaction);
        if self.order.len() > past_max
            && let Some(first) = self.order.pop_front()
        {
            self.ended.remove(&first);
        }
    }

    /// Returns whose question it was, and how it ended.
    pub(super) fn get(&self, interaction: InteractionId) -> Option<&(SessionId, Ending)> {
        self.ended.get(&interaction)
    }
}
