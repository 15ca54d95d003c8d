//! The phases of one operation, and the table that says when it goes from phase to phase.
//!
//! All machines of this crate use [`step`], and none has its own rules for phases. The meaning of
//! *leg* depends on the machine. For the client it is one request on the wire. For the host it is
//! the time in which a provider works. For the server it is one run of the handler.
//!
//! ```text
//! Running | Resumed      ── asked for input ───────────────►  AwaitingInteraction
//! Running | Resumed      ── asked to come back later ──────►  Pausing
//! AwaitingInteraction    ── last answer of the round ──────►  Resumed
//! Pausing                ── pause over ────────────────────►  Resumed
//! Running | Resumed      ── complete, error ───────────────►  Settled
//! AwaitingInteraction    ── a request cannot be answered ─►  Settled
//! any of the four        ── fault, timeout, stop, lost,
//!                           abandoned ─────────────────────►  Settled
//! ```

use serde::{Deserialize, Serialize};

use crate::InvocationId;
use Phase::{AwaitingInteraction, Pausing, Resumed, Running, Settled};
use Step::{Go, Ignore, Refuse};
use Trigger::{
    Abandoned, Answered, Asked, Completed, Errored, Faulted, Late, Lost, PauseOver, Progressed,
    Published, RoundAnswered, StateOnly, Stopped, Taken, TimedOut, Unanswerable,
};

/// The phase of an operation.
///
/// The enum is exhaustive: code that shows or stores a phase handles each of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The first leg is in flight.
    Running,
    /// No leg is in flight, and questions wait for their answers. An exchange stays in this phase
    /// once it has sent its questions: the retry is another exchange.
    AwaitingInteraction,
    /// No leg is in flight, and no question is open: the client sends a retry after a pause. An
    /// exchange is in this phase while its state is being redeemed. It also stays in this phase
    /// once it has sent a state-only round.
    Pausing,
    /// A later leg is in flight.
    Resumed,
    /// The operation is over, and has its outcome.
    Settled,
}

/// The meaning of an event for the phase of an operation. The machine has already checked the
/// content of the event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Trigger {
    /// The leg ended in `input_required` with requests.
    Asked,
    /// The leg ended in `input_required` with a state and no requests.
    StateOnly,
    /// The host's store holds the question, and surfaces show it.
    Published,
    /// The host accepted an answer, and asked its store to hold it.
    Taken,
    /// A request of the round was answered, and others are still open.
    Answered,
    /// The last open request of the round was answered.
    RoundAnswered,
    /// A request of the round cannot be answered.
    Unanswerable,
    /// The pause of a state-only round is over.
    PauseOver,
    /// The server or the provider reported that it works on the leg.
    Progressed,
    /// The leg ended in a complete result.
    Completed,
    /// The leg ended in an error.
    Errored,
    /// The other side broke the protocol or a limit, or the host's store failed.
    Faulted,
    /// A clock ran out.
    TimedOut,
    /// The caller gave up.
    Stopped,
    /// The connection, or something else that the operation is bound to, is gone; or the server's
    /// store could not be reached.
    Lost,
    /// The provider gave the operation up, or failed while its question was open.
    Abandoned,
    /// Something arrived for a leg that is over.
    Late,
}

/// The effect of a trigger in a phase.
///
/// The enum is exhaustive: each cell of the table is one of these three.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Go to this phase, which may be the current one.
    Go(Phase),
    /// Nothing to do: late or repeated input.
    Ignore,
    /// A mistake of the caller: nothing changes.
    Refuse,
}

/// Looks up the effect of a trigger in a phase.
#[must_use]
#[rustfmt::skip]
pub const fn step(phase: Phase, trigger: Trigger) -> Step {
    match (phase, trigger) {
        (Running | Resumed, Asked)           => Go(AwaitingInteraction),
        (Running | Resumed, StateOnly)       => Go(Pausing),
        (Running | Resumed, Completed)       => Go(Settled),
        (Running | Resumed, Errored)         => Go(Settled),
        (Running, Progressed)                => Go(Running),
        (Resumed, Progressed)                => Go(Resumed),
        (AwaitingInteraction, Published | Taken | Answered)
                                             => Go(AwaitingInteraction),
        (AwaitingInteraction, RoundAnswered) => Go(Resumed),
        (AwaitingInteraction, Unanswerable)  => Go(Settled),
        (Pausing, PauseOver)                 => Go(Resumed),

        (Running | Resumed | AwaitingInteraction | Pausing,
         Faulted | TimedOut | Stopped | Lost | Abandoned)
                                             => Go(Settled),

        // Late and repeated input.
        (Running | Resumed | AwaitingInteraction | Pausing | Settled, Late) => Ignore,
        (Settled, TimedOut | Stopped | Lost | Abandoned | PauseOver)        => Ignore,
        (Running | Resumed | AwaitingInteraction, PauseOver)                => Ignore,
        (AwaitingInteraction | Pausing | Settled, Progressed)               => Ignore,

        // A leg that is not in flight cannot end. Without an open question there can be no answer.
        (AwaitingInteraction | Pausing | Settled, Asked | StateOnly | Completed | Errored) => Refuse,
        (Running | Resumed | Pausing | Settled,
         Published | Taken | Answered | RoundAnswered | Unanswerable)                      => Refuse,
        (Settled, Faulted)                                                                 => Refuse,
    }
}

/// A change of phase, or a new entry into the same phase. It holds no user data, so it is safe for
/// telemetry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Transition {
    /// The call.
    pub invocation: InvocationId,
    /// The number of the last leg that was sent.
    pub leg: u32,
    /// The number of the current round, or of the last one; 0 before the first.
    pub round: u32,
    /// The phase before.
    pub from: Phase,
    /// The phase after.
    pub to: Phase,
    /// The trigger of the change.
    pub cause: Trigger,
    /// The number of open interactions after the change.
    pub open: usize,
}

impl Phase {
    /// All phases.
    pub const ALL: &[Self] = &[Running, AwaitingInteraction, Pausing, Resumed, Settled];

    /// Returns whether a leg is in flight.
    #[must_use]
    pub const fn is_in_flight(self) -> bool {
        matches!(self, Running | Resumed)
    }
}

impl Trigger {
    /// All triggers.
    pub const ALL: &[Self] = &[
        Asked,
        StateOnly,
        Published,
        Taken,
        Answered,
        RoundAnswered,
        Unanswerable,
        PauseOver,
        Progressed,
        Completed,
        Errored,
        Faulted,
        TimedOut,
        Stopped,
        Lost,
        Abandoned,
        Late,
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every cell of the table, a row a phase, in the order of [`Trigger::ALL`].
    const TABLE: &str = "\
        Running:             await pause refuse refuse refuse refuse refuse ignore run settle settle settle settle settle settle settle ignore
        AwaitingInteraction: refuse refuse await await await resume settle ignore ignore refuse refuse settle settle settle settle settle ignore
        Pausing:             refuse refuse refuse refuse refuse refuse refuse resume ignore refuse refuse settle settle settle settle settle ignore
        Resumed:             await pause refuse refuse refuse refuse refuse ignore resume settle settle settle settle settle settle settle ignore
        Settled:             refuse refuse refuse refuse refuse refuse refuse ignore ignore refuse refuse refuse ignore ignore ignore ignore ignore";

    /// proves: CL-01
    #[test]
    fn the_table_is_what_the_requirements_say_cell_by_cell() {
        for (phase, row) in Phase::ALL.iter().copied().zip(TABLE.lines()) {
            let (name, cells) = row.trim().split_once(':').unwrap();
            assert_eq!(name, alloc::format!("{phase:?}"));
            let cells: alloc::vec::Vec<_> = cells.split_whitespace().collect();
            assert_eq!(cells.len(), Trigger::ALL.len());
            for (trigger, cell) in Trigger::ALL.iter().copied().zip(cells) {
                let found = match step(phase, trigger) {
                    Go(AwaitingInteraction) => "await",
                    Go(Pausing) => "pause",
                    Go(Resumed) => "resume",
                    Go(Settled) => "settle",
                    Go(Running) => "run",
                    Ignore => "ignore",
                    Refuse => "refuse",
                };
                assert_eq!(found, cell, "{phase:?} × {trigger:?}");
            }
        }
    }

    /// proves: CL-18
    #[test]
    fn nothing_leaves_settled() {
        for trigger in Trigger::ALL {
            assert!(!matches!(step(Settled, *trigger), Go(_)), "{trigger:?}");
        }
    }
}
