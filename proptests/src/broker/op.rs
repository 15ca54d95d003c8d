//! What can happen to a host.

/// Something that happens to a host.
///
/// It comes of four bytes, so that a fuzzer can write it and a property test shrinks it: the
/// smaller the bytes, the less happens. An index may be any number: it is taken round and round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostOp {
    /// The host is told the time.
    Tick,
    /// Time passes: one of several spans.
    Wait(u8),
    /// The clock is set back by one of the spans.
    Back(u8),
    /// Time passes until whatever runs out first has run out, or until a moment before.
    RunOut {
        /// Whether it is the moment before.
        early: bool,
    },
    /// A provider connects.
    Connect(u8),
    /// A connection is gone.
    Disconnect(u8),
    /// Something is registered on a connection, perhaps in the place of something else.
    Register {
        /// What.
        registration: u8,
        /// The connection.
        connection: u8,
    },
    /// Something is not registered any more.
    Retire(u8),
    /// The host wants something done.
    Call {
        /// For whom.
        session: u8,
        /// In which turn.
        turn: u8,
        /// By what.
        registration: u8,
    },
    /// A provider says something.
    Say {
        /// For which invocation.
        invocation: WhichInvocation,
        /// On which connection.
        connection: WhichConnection,
        /// What.
        says: Says,
    },
    /// A provider sends bytes that are not a frame.
    Garble {
        /// On which connection.
        connection: u8,
        /// What, by index into the script.
        bytes: u8,
    },
    /// A provider sends bytes that are not a frame, but that name an invocation and a number.
    Misspell {
        /// For which invocation.
        invocation: WhichInvocation,
        /// On which connection.
        connection: WhichConnection,
        /// What it calls the question.
        number: WhichNumber,
    },
    /// Somebody answers.
    Answer {
        /// The question.
        question: WhichQuestion,
        /// The session that answers.
        session: WhichSession,
        /// The answer.
        how: How,
    },
    /// There is no surface that could show a question.
    Unanswerable(WhichQuestion),
    /// The store says whether it holds a record.
    Store {
        /// The record.
        record: WhichRecord,
        /// Whether it is held.
        held: bool,
    },
    /// Somebody gives up.
    Stop(WhichScope),
    /// A turn is over.
    EndTurn {
        /// The session.
        session: u8,
        /// The turn.
        turn: u8,
    },
    /// The host restarts.
    Restart {
        /// Whether the store has lost what it has not said that it holds.
        forgets: bool,
    },
    /// A surface does something with the changes that it is sent.
    Surface {
        /// Which surface.
        surface: u8,
        /// What it does.
        does: Does,
    },
}

/// The connection that a frame comes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhichConnection {
    /// The one of the invocation.
    Own,
    /// One by its number, known or not.
    Any(u8),
}

/// Which invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhichInvocation {
    /// One that is live.
    Live(u8),
    /// One of this life of the host.
    Any(u8),
    /// One of an earlier life.
    Old(u8),
    /// One that never was, by index into the script.
    MadeUp(u8),
}

/// Which question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhichQuestion {
    /// One that has not ended.
    Pending(u8),
    /// One that a surface shows, whatever the host says by now.
    Shown(u8),
    /// One of this life of the host.
    Any(u8),
    /// One of an earlier life.
    Old(u8),
    /// One that never was, by index into the script.
    MadeUp(u8),
}

/// Which session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhichSession {
    /// The one of the question.
    Own,
    /// One by its number.
    Any(u8),
}

/// Which record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhichRecord {
    /// The first that the store has not spoken of.
    First,
    /// One that the store has not spoken of.
    Waiting(u8),
    /// One that the store was ever asked to hold.
    Any(u8),
    /// One that it was not, perhaps: a kind of record by the first number, of a question that may
    /// never have been by the second.
    MadeUp(u8, u8),
}

/// What is to be stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhichScope {
    /// One invocation.
    Invocation(WhichInvocation),
    /// A turn of a session.
    Turn(u8, u8),
    /// A session.
    Session(u8),
    /// Everything.
    All,
}

/// What a provider says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Says {
    /// It takes the invocation.
    Accepted,
    /// It does not take it.
    Rejected,
    /// It works on it.
    Progress,
    /// It asks, with a request of the script by index.
    Ask {
        /// What it calls the question.
        number: WhichNumber,
        /// The request.
        request: u8,
    },
    /// It has a result.
    Result,
    /// It has failed.
    Failed,
    /// It lets go.
    Released,
}

/// The number of a question, as its provider counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhichNumber {
    /// The next, or one a little further.
    Next(u8),
    /// The one that it used last.
    Last,
    /// The one before that.
    Before,
    /// The greatest there is.
    Greatest,
}

/// What somebody answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// What fits.
    Right,
    /// Something else that fits.
    AlsoRight,
    /// What does not fit.
    Wrong,
    /// What is too large, where that can be.
    Large,
    /// A no.
    Decline,
    /// Nothing: the question is closed.
    Cancel,
    /// What is no answer of a person.
    Foreign(u8),
}

/// What a surface does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// It takes the next change.
    Take,
    /// It takes all that it was sent.
    TakeAll,
    /// It misses the next change.
    Miss,
    /// It misses all that it was sent.
    MissAll,
    /// It takes the one after the next first.
    Swap,
    /// It takes a change again that it had before.
    Repeat(u8),
    /// It is sent a change of another session.
    Stray(u8),
    /// It begins with a snapshot.
    Reread,
}

impl From<[u8; 4]> for HostOp {
    /// Gives what ends much a small share, so that invocations live long enough to get somewhere.
    fn from([kind, a, b, c]: [u8; 4]) -> Self {
        match kind % 64 {
            0 => Self::Tick,
            1 => Self::Wait(a),
            2 => Self::Back(a),
            3 => Self::RunOut { early: a % 2 == 0 },
            4 => Self::Connect(a),
            5..=8 => Self::Call { session: a, turn: b, registration: c },
            9..=26 => {
                Self::Say { invocation: a.into(), connection: c.into(), says: [b, c / 8].into() }
            }
            27..=42 => Self::Answer { question: a.into(), session: c.into(), how: b.into() },
            43..=51 => Self::Store { record: [a, b].into(), held: c % 16 != 15 },
            52..=57 => Self::Surface { surface: a, does: b.into() },
            58 => Self::Register { registration: a, connection: b },
            59 if c % 2 == 0 => Self::Garble { connection: a, bytes: b },
            59 => Self::Misspell {
                invocation: a.into(),
                connection: (c / 2).into(),
                number: b.into(),
            },
            60 => Self::Unanswerable(a.into()),
            61 => Self::Stop([a, b, c].into()),
            62 if a % 4 == 0 => Self::Disconnect(b),
            62 if a % 4 == 1 => Self::Retire(b),
            62 if a % 4 == 2 => Self::EndTurn { session: b, turn: c },
            62 => Self::Store { record: [b, c].into(), held: false },
            _ if a % 4 == 3 => Self::Restart { forgets: b % 2 == 1 },
            _ => Self::RunOut { early: true },
        }
    }
}

impl From<u8> for WhichConnection {
    fn from(byte: u8) -> Self {
        if byte % 8 == 7 { Self::Any(byte / 8) } else { Self::Own }
    }
}

impl From<u8> for WhichInvocation {
    fn from(byte: u8) -> Self {
        match byte % 16 {
            index @ 0..12 => Self::Live(index),
            12 | 13 => Self::Any(byte / 16),
            14 => Self::Old(byte / 16),
            _ => Self::MadeUp(byte / 16),
        }
    }
}

impl From<u8> for WhichQuestion {
    fn from(byte: u8) -> Self {
        match byte % 16 {
            index @ 0..8 => Self::Pending(index),
            8..=10 => Self::Shown(byte / 16),
            11..=13 => Self::Any(byte / 16),
            14 => Self::Old(byte / 16),
            _ => Self::MadeUp(byte / 16),
        }
    }
}

impl From<u8> for WhichSession {
    fn from(byte: u8) -> Self {
        if byte % 8 == 7 { Self::Any(byte / 8) } else { Self::Own }
    }
}

impl From<[u8; 2]> for WhichRecord {
    fn from([first, byte]: [u8; 2]) -> Self {
        match first % 16 {
            0..10 => Self::First,
            10 | 11 => Self::Waiting(byte),
            12 | 13 => Self::Any(byte),
            _ => Self::MadeUp(first / 16, byte),
        }
    }
}

impl From<[u8; 3]> for WhichScope {
    fn from([first, a, b]: [u8; 3]) -> Self {
        match first % 8 {
            0..4 => Self::Invocation(a.into()),
            4 | 5 => Self::Turn(a, b),
            6 => Self::Session(a),
            _ => Self::All,
        }
    }
}

impl From<[u8; 2]> for Says {
    fn from([first, byte]: [u8; 2]) -> Self {
        match first % 16 {
            0..5 => Self::Accepted,
            5..12 => Self::Ask { number: byte.into(), request: first / 16 },
            12 => Self::Progress,
            13 => Self::Result,
            14 if first / 16 % 2 == 0 => Self::Ask { number: byte.into(), request: byte },
            14 => Self::Failed,
            _ if first / 16 % 2 == 0 => Self::Rejected,
            _ => Self::Released,
        }
    }
}

impl From<u8> for WhichNumber {
    fn from(byte: u8) -> Self {
        match byte % 32 {
            28 | 29 => Self::Last,
            30 => Self::Before,
            31 => Self::Greatest,
            gap => Self::Next(gap % 4),
        }
    }
}

impl From<u8> for How {
    fn from(byte: u8) -> Self {
        match byte % 16 {
            0..5 => Self::Right,
            5..8 => Self::AlsoRight,
            8 | 9 => Self::Wrong,
            10 => Self::Large,
            11 | 12 => Self::Decline,
            13 => Self::Cancel,
            _ => Self::Foreign(byte / 16),
        }
    }
}

impl From<u8> for Does {
    fn from(byte: u8) -> Self {
        match byte % 16 {
            0..6 => Self::Take,
            6..9 => Self::TakeAll,
            9 => Self::Miss,
            10 => Self::MissAll,
            11 | 12 => Self::Swap,
            13 => Self::Repeat(byte / 16),
            14 => Self::Stray(byte / 16),
            _ => Self::Reread,
        }
    }
}

/// Reads operations of bytes, four bytes each.
pub fn ops(bytes: &[u8]) -> impl Iterator<Item = HostOp> {
    bytes.as_chunks::<4>().0.iter().map(|chunk| HostOp::from(*chunk))
}
