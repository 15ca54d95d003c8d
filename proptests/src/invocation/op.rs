//! What can happen in a world.

/// Something that happens to a call.
///
/// It comes of three bytes, so that a fuzzer can write it and a property test shrinks it: the
/// smaller the bytes, the less happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientOp {
    /// The call is told the time.
    Tick,
    /// Time passes: one of several spans, by index.
    Wait(u8),
    /// The clock is set back by one of the spans.
    Back(u8),
    /// If the call pauses, time passes until the pause is over.
    Rest,
    /// Time passes until whatever runs has run out, or until a moment before.
    RunOut {
        /// Whether it is the moment before.
        early: bool,
    },
    /// A server answers a leg.
    Reply {
        /// The leg.
        leg: WhichLeg,
        /// The answer.
        says: Says,
    },
    /// Somebody answers a question.
    Answer {
        /// The round.
        round: WhichRound,
        /// The question.
        question: WhichQuestion,
        /// The answer.
        how: How,
    },
    /// What should have answered a question failed.
    Fail {
        /// The round.
        round: WhichRound,
        /// The question.
        question: WhichQuestion,
    },
    /// The server says that it works on a leg.
    Progress {
        /// The leg.
        leg: WhichLeg,
    },
    /// The call is bound to something: what it was bound to, or something else.
    Bound {
        /// Whether it is the same.
        same: bool,
    },
    /// The connection is lost.
    Lost,
    /// The caller gives up.
    Stop,
}

/// Which leg.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhichLeg {
    /// The leg that was sent last.
    Last,
    /// The first leg of the call.
    First,
    /// A leg of the call that was not sent.
    Unsent,
    /// A leg of another call.
    Foreign,
}

/// Which round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhichRound {
    /// The round that is on or was last.
    Last,
    /// The one before.
    Before,
    /// The one after.
    After,
}

/// Which question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhichQuestion {
    /// One that is open, by index.
    Open(u8),
    /// One of the script, by index, asked or not.
    Any(u8),
}

/// What a server says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Says {
    /// The call is complete.
    Complete,
    /// The call failed.
    Error,
    /// Some questions of the script are asked.
    Ask {
        /// The questions.
        questions: Questions,
        /// Whether there is a state beside them.
        with_state: bool,
    },
    /// Some questions are asked, and among them something that is not a question.
    Spoiled {
        /// The questions.
        questions: Questions,
        /// What is not a question, by index into the script.
        by: u8,
    },
    /// Call again, with a state of the script, by index.
    StateOnly(u8),
    /// Something that breaks the protocol, by index into the script.
    Hostile(u8),
}

/// Up to four questions that stand side by side in the script, of those that the call claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Questions {
    /// Whether there is one beside them, by the number of the bits, claimed or not.
    pub stray: bool,
    /// The first of the four, by index.
    pub first: u8,
    /// One bit a question. None of them is all of them.
    pub which: u8,
}

/// What somebody answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// What fits the question.
    Right,
    /// What does not.
    Wrong,
    /// A no.
    Decline,
    /// Nothing: the question is closed.
    Cancel,
    /// What fits a question of another kind, by index.
    Other(u8),
}

impl From<[u8; 3]> for ClientOp {
    /// Gives what ends a call a small share, so that calls live long enough to get somewhere.
    fn from([kind, a, b]: [u8; 3]) -> Self {
        match kind % 32 {
            0 => Self::Tick,
            1 => Self::Wait(a),
            2 => Self::Back(a),
            3..=7 => Self::Rest,
            8..=17 => Self::Reply { leg: a.into(), says: [a / 8, b].into() },
            18..=28 => Self::Answer { round: a.into(), question: (a / 8).into(), how: b.into() },
            29 => Self::Progress { leg: a.into() },
            30 => Self::Bound { same: true },
            _ => match a % 8 {
                0 => Self::Stop,
                1 => Self::Lost,
                2 => Self::Bound { same: false },
                3 => Self::RunOut { early: false },
                4 | 5 => Self::Fail { round: b.into(), question: (b / 8).into() },
                _ => Self::RunOut { early: true },
            },
        }
    }
}

impl From<u8> for WhichLeg {
    fn from(byte: u8) -> Self {
        match byte % 8 {
            5 => Self::First,
            6 => Self::Unsent,
            7 => Self::Foreign,
            _ => Self::Last,
        }
    }
}

impl From<u8> for WhichRound {
    fn from(byte: u8) -> Self {
        match byte % 8 {
            6 => Self::Before,
            7 => Self::After,
            _ => Self::Last,
        }
    }
}

impl From<u8> for WhichQuestion {
    fn from(byte: u8) -> Self {
        match byte % 32 {
            index @ 0..24 => Self::Open(index),
            index => Self::Any(index),
        }
    }
}

impl From<[u8; 2]> for Says {
    fn from([first, byte]: [u8; 2]) -> Self {
        let rest = byte / 8;
        let questions = |which| Questions { stray: first % 32 >= 26, first, which };
        match byte % 8 {
            0..=4 => Self::Ask { questions: questions(rest % 16), with_state: rest / 16 == 1 },
            6 if rest % 4 == 3 => {
                Self::Spoiled { questions: questions(first), by: rest / 4 + first }
            }
            5 | 6 => Self::StateOnly(rest),
            _ if rest.is_multiple_of(4) => Self::Complete,
            _ if rest == 31 => Self::Error,
            _ => Self::Hostile(rest - rest / 4 - 1),
        }
    }
}

impl From<u8> for How {
    fn from(byte: u8) -> Self {
        match byte % 16 {
            10 | 11 => Self::Wrong,
            12 => Self::Decline,
            13 => Self::Cancel,
            14 | 15 => Self::Other(byte / 16),
            _ => Self::Right,
        }
    }
}

/// Reads operations of bytes, three bytes each.
pub fn ops(bytes: &[u8]) -> impl Iterator<Item = ClientOp> {
    bytes.as_chunks::<3>().0.iter().map(|chunk| ClientOp::from(*chunk))
}
