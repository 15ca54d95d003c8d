//! What can happen in a world.

use crate::broker::{self, Does, How, WhichRecord, WhichScope};

/// Something that happens in the world.
///
/// It comes of four bytes, so that a fuzzer can write it and a property test shrinks it. An index
/// may be any number: it is taken round and round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorldOp {
    /// Time passes: one of several spans. Nobody is told.
    Wait(u8),
    /// Everybody is told the time.
    Tick,
    /// Time passes until whatever runs out first has run out, or until a moment before.
    RunOut {
        /// Whether it is the moment before.
        early: bool,
    },
    /// Whatever is on its way arrives: every frame, request and response, every word of the store
    /// and every change, or those of some kinds by the bits.
    Flow(u8),
    /// The model of a session calls a tool.
    Call {
        /// The session.
        session: u8,
        /// What executes it, and in which turn.
        registration: u8,
        /// What its handler does, by index into the script.
        plan: u8,
    },
    /// One line goes over the wire between the host and a provider, or its end is noticed.
    Carry {
        /// The wire.
        line: u8,
        /// Whether it goes to the host.
        to_host: bool,
    },
    /// Something happens to a request that is under way.
    Request {
        /// The request.
        which: u8,
        /// What happens to it.
        how: Arrives,
    },
    /// Something happens to a response that is under way.
    Response {
        /// The response.
        which: u8,
        /// What happens to it.
        how: Arrives,
    },
    /// A server goes on with a request.
    Serve {
        /// The request.
        which: u8,
        /// How.
        how: Ends,
    },
    /// The store says whether it holds a record.
    Store {
        /// The record.
        record: WhichRecord,
        /// Whether it is held.
        held: bool,
    },
    /// Somebody answers a question that a surface shows, whatever the host says by now.
    Answer {
        /// The surface.
        surface: u8,
        /// The question on it.
        question: u8,
        /// What they say, and as whom.
        says: Says,
    },
    /// A surface does something with the changes that it is sent.
    Surface {
        /// Which surface.
        surface: u8,
        /// What it does.
        does: Does,
    },
    /// A surface cannot show a question.
    Unanswerable {
        /// The surface.
        surface: u8,
        /// The question on it.
        question: u8,
    },
    /// The wire between the host and a provider is cut: some lines that are under way still arrive.
    Cut {
        /// The wire.
        line: u8,
        /// How many lines arrive on each side.
        keeps: u8,
        /// Whether the provider is gone with it, and all that it did.
        crashes: bool,
    },
    /// A provider that is not connected connects. If there is none, one may register again.
    Connect {
        /// The provider.
        provider: u8,
        /// Whether it registers again, and what.
        registration: u8,
    },
    /// Something happens between a provider and a server.
    Server {
        /// What the provider has registered there.
        registration: u8,
        /// What happens.
        link: Link,
    },
    /// A server restarts: what it was doing is gone.
    RestartServer {
        /// The server.
        server: u8,
        /// Its keys.
        keys: Keys,
    },
    /// The host restarts.
    RestartHost {
        /// Whether the store has lost what it has not said that it holds.
        forgets: bool,
    },
    /// Somebody sends a request again that they saw, or something like it.
    Forge {
        /// The request.
        which: u8,
        /// What they change.
        how: Forges,
        /// With what.
        with: u8,
    },
    /// A server says that it works on a leg.
    Progress(u8),
    /// Somebody gives up.
    Stop(WhichScope),
    /// A turn is over.
    EndTurn {
        /// The session.
        session: u8,
        /// The turn.
        turn: u8,
    },
    /// Something is not registered any more.
    Retire(u8),
}

/// What becomes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrives {
    /// It arrives, and whoever gets it is done with it at once.
    Once,
    /// It arrives, and whoever gets it takes time.
    Slowly,
    /// It arrives, and will arrive again.
    Twice,
    /// It is lost.
    Never,
    /// Something else arrives in its place.
    Garbled,
}

/// How a server goes on with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// As its plan says; its store answers.
    AsPlanned,
    /// It fails, or its store does.
    Fails,
    /// It gives up before it has done anything.
    Abandons,
}

/// What somebody says to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Says {
    /// What they decide.
    pub how: How,
    /// A session that is not theirs, if they speak as another.
    pub pretends: Option<u8>,
}

/// What happens between a provider and a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// The connection is lost, and there is another.
    Lost,
    /// The calls are bound to something else.
    Replaced,
    /// The calls are bound to what they were bound to.
    Same,
}

/// The keys that a restarted server has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// The same.
    Same,
    /// A new one to seal with; the last one still opens.
    Rotated,
    /// A new one, and no other.
    Replaced,
}

/// What somebody changes of a request that they saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forges {
    /// Nothing: it is sent again.
    Nothing,
    /// The state is of the request, and the params are of another call.
    OtherParams,
    /// One character of the state.
    OneCharacter,
    /// The state is no text.
    NoText,
    /// They are somebody else.
    OtherPrincipal,
    /// It goes to another server.
    OtherServer,
    /// It is for another method.
    OtherMethod,
    /// There is no state.
    NoState,
    /// There are no answers.
    NoAnswers,
    /// The answers are no object.
    AnswersAsList,
    /// An answer has the wrong shape.
    WrongAnswer,
    /// It does not say which version it is of.
    NoVersion,
}

impl Forges {
    /// Lists them.
    pub const ALL: [Self; 12] = [
        Self::Nothing,
        Self::OtherParams,
        Self::OneCharacter,
        Self::NoText,
        Self::OtherPrincipal,
        Self::OtherServer,
        Self::OtherMethod,
        Self::NoState,
        Self::NoAnswers,
        Self::AnswersAsList,
        Self::WrongAnswer,
        Self::NoVersion,
    ];
}

impl From<[u8; 4]> for WorldOp {
    /// Gives what ends much a small share, so that calls live long enough to get somewhere.
    fn from([kind, a, b, c]: [u8; 4]) -> Self {
        match kind % 64 {
            0..=13 => Self::Flow(a),
            14..=18 => Self::Call { session: a, registration: b, plan: c },
            19..=22 => Self::Carry { line: a, to_host: b % 2 == 1 },
            23..=26 => Self::Request { which: a, how: b.into() },
            27..=29 => Self::Serve { which: a, how: b.into() },
            30..=33 => Self::Response { which: a, how: b.into() },
            34..=36 => Self::Store { record: [a, b].into(), held: c % 16 != 15 },
            37..=46 => Self::Answer { surface: a, question: b, says: c.into() },
            47..=49 => Self::Surface { surface: a, does: b.into() },
            50 => Self::Wait(a),
            51 => Self::RunOut { early: a % 2 == 0 },
            52 => Self::Tick,
            53 | 54 => Self::Connect { provider: a, registration: b },
            55 => Self::Cut { line: a, keeps: b, crashes: c % 4 == 3 },
            56 => Self::Server { registration: a, link: b.into() },
            57 => Self::RestartServer { server: a, keys: b.into() },
            58 | 59 => {
                let how = broker::pick(&Forges::ALL, b).copied().unwrap_or(Forges::Nothing);
                Self::Forge { which: a, how, with: c }
            }
            60 => Self::Progress(a),
            61 => Self::Stop([a, b, c].into()),
            62 if a % 4 == 0 => Self::EndTurn { session: b, turn: c },
            62 if a % 4 == 1 => Self::Retire(b),
            62 => Self::Unanswerable { surface: b, question: c },
            _ if a % 4 == 3 => Self::RestartHost { forgets: b % 2 == 1 },
            _ => Self::RunOut { early: true },
        }
    }
}

impl From<u8> for Arrives {
    fn from(byte: u8) -> Self {
        match byte % 16 {
            0..7 => Self::Once,
            7..9 => Self::Slowly,
            9..12 => Self::Twice,
            12..15 => Self::Never,
            _ => Self::Garbled,
        }
    }
}

impl From<u8> for Ends {
    fn from(byte: u8) -> Self {
        match byte % 8 {
            6 => Self::Fails,
            7 => Self::Abandons,
            _ => Self::AsPlanned,
        }
    }
}

impl From<u8> for Says {
    fn from(byte: u8) -> Self {
        let how = match byte % 16 {
            11 | 12 => How::Decline,
            13 => How::Cancel,
            _ => How::Right,
        };
        Self { how, pretends: (byte % 16 >= 14).then_some(byte / 16) }
    }
}

impl From<u8> for Link {
    fn from(byte: u8) -> Self {
        match byte % 4 {
            0 | 1 => Self::Lost,
            2 => Self::Replaced,
            _ => Self::Same,
        }
    }
}

impl From<u8> for Keys {
    fn from(byte: u8) -> Self {
        match byte % 4 {
            0 | 1 => Self::Same,
            2 => Self::Rotated,
            _ => Self::Replaced,
        }
    }
}

/// Reads operations of bytes, four bytes each.
pub fn ops(bytes: &[u8]) -> impl Iterator<Item = WorldOp> {
    bytes.as_chunks::<4>().0.iter().map(|chunk| WorldOp::from(*chunk))
}
