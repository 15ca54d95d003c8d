//! Faults that are put between a machine and its world, to see that the search finds them.

use crate::invariants::Invariant;

/// A fault. A world that has one carries out, or is shown, something other than what its machine
/// said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Plant {
    /// An outcome comes twice.
    SettlesTwice,
    /// A leg is sent with the questions of its round; an answer, with the question.
    SendsWhileAsked,
    /// A leg is sent again, or a provider called again, while it is in flight.
    SendsTwice,
    /// The clock of a leg runs on while somebody is asked.
    LegClockRunsOn,
    /// The clock of a provider runs on while the question is shown.
    ProviderClockRunsOn,
    /// What was asked is not taken back.
    ForgetsToRetract,
    /// A retry carries the state of the round before.
    KeepsAnOldState,
    /// A retry carries an answer to what was not asked.
    AnswersWhatWasNotAsked,
    /// An answer goes to another connection.
    AnswersAnotherConnection,
    /// An answer goes to another invocation of the same connection.
    AnswersAnotherInvocation,
    /// A question is shown to another session.
    ShowsAnotherSession,
    /// A refusal goes to another connection.
    RefusesAnotherConnection,
    /// A refusal is of another question.
    RefusesAnotherQuestion,
    /// An answer is changed on its way to the server.
    ChangesAnswers,
    /// A leg is sent for who has stopped.
    SendsAfterStop,
    /// An answer is delivered for who has stopped.
    AnswersAfterStop,
    /// One more round is allowed than the call allows.
    AllowsARoundMore,
    /// A call tells of questions that are open when it is over.
    KeepsAQuestion,
    /// A question stays on the screens when its invocation is over.
    KeepsShowing,
    /// A question of an earlier life is not closed.
    ForgetsWhatWasOpen,
    /// An answer is delivered when it is taken.
    DeliversAtOnce,
    /// A question is shown before it is stored.
    ShowsAtOnce,
    /// A second answer takes the place of the first.
    ReplacesTheAnswer,
    /// A request is formatted with its params.
    ShowsParams,
    /// A record is formatted as it is stored.
    ShowsRecords,
    /// A request is formatted with its state.
    ShowsStates,
    /// The key that states are sealed with is formatted, byte by byte.
    ShowsKeys,
    /// The handler runs on whatever comes.
    RunsAnyway,
    /// The store of used states forgets.
    ForgetsWhatWasUsed,
}

impl Plant {
    /// Lists them.
    pub const ALL: [Self; 29] = [
        Self::SettlesTwice,
        Self::SendsWhileAsked,
        Self::SendsTwice,
        Self::LegClockRunsOn,
        Self::ProviderClockRunsOn,
        Self::ForgetsToRetract,
        Self::KeepsAnOldState,
        Self::AnswersWhatWasNotAsked,
        Self::AnswersAnotherConnection,
        Self::AnswersAnotherInvocation,
        Self::ShowsAnotherSession,
        Self::RefusesAnotherConnection,
        Self::RefusesAnotherQuestion,
        Self::ChangesAnswers,
        Self::SendsAfterStop,
        Self::AnswersAfterStop,
        Self::AllowsARoundMore,
        Self::KeepsAQuestion,
        Self::KeepsShowing,
        Self::ForgetsWhatWasOpen,
        Self::DeliversAtOnce,
        Self::ShowsAtOnce,
        Self::ReplacesTheAnswer,
        Self::ShowsParams,
        Self::ShowsRecords,
        Self::ShowsStates,
        Self::ShowsKeys,
        Self::RunsAnyway,
        Self::ForgetsWhatWasUsed,
    ];

    /// Returns the invariant that it breaks.
    #[must_use]
    pub const fn breaks(self) -> Invariant {
        match self {
            Self::SettlesTwice => Invariant::OneOutcome,
            Self::SendsWhileAsked | Self::SendsTwice => Invariant::OneThingAtATime,
            Self::LegClockRunsOn | Self::ProviderClockRunsOn => Invariant::ClocksRunWhereTheyBelong,
            Self::ForgetsToRetract => Invariant::EveryAskHasAnEnd,
            Self::KeepsAnOldState | Self::AnswersWhatWasNotAsked => Invariant::ARetryIsOfItsRound,
            Self::AnswersAnotherConnection
            | Self::AnswersAnotherInvocation
            | Self::ShowsAnotherSession
            | Self::RefusesAnotherConnection
            | Self::RefusesAnotherQuestion
            | Self::ChangesAnswers => Invariant::AnswersReachWhoAsked,
            Self::SendsAfterStop | Self::AnswersAfterStop => Invariant::NothingIsSentAfterStop,
            Self::AllowsARoundMore => Invariant::LegsAreBounded,
            Self::KeepsAQuestion | Self::KeepsShowing | Self::ForgetsWhatWasOpen => {
                Invariant::NoQuestionWithoutInvocation
            }
            Self::DeliversAtOnce | Self::ShowsAtOnce | Self::ReplacesTheAnswer => {
                Invariant::StoredThenDelivered
            }
            Self::ShowsParams | Self::ShowsRecords | Self::ShowsStates | Self::ShowsKeys => {
                Invariant::NothingSecretIsShown
            }
            Self::RunsAnyway | Self::ForgetsWhatWasUsed => Invariant::HandlersRunOnSoundStates,
        }
    }
}
