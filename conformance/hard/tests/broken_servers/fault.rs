//! The faults of a broken server.

/// A fault of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    // Faults of the state.
    /// States are JSON without a tag, so anybody can write one.
    PlainState,
    /// Only the beginning of the tag is compared.
    LooseTag,
    /// A state opens in every spelling of base64.
    LooseBase64,
    /// An empty state, or one that is not a text, counts as no state.
    EmptyStateIsNone,
    /// A state is valid for every request.
    UnboundState,
    /// A state is bound to the whole text of the request.
    BoundToText,
    /// A state with JSON escapes is refused.
    RefusesEscapedState,
    /// A state never expires.
    ImmortalState,
    /// An invalid state is refused with a code of this server's own.
    OwnStateCode,
    /// A large state is refused slowly.
    SlowState,
    /// The server asks one round more than allowed.
    OneRoundMore,
    /// The server asks one round less than allowed.
    OneRoundLess,

    // Faults of the answers.
    /// Answers are not checked.
    UncheckedAnswers,
    /// Wrapped answers are unwrapped.
    UnwrapsAnswers,
    /// An array of one answer is taken for the answer.
    UnwrapsArrays,
    /// Unasked answers and unknown members are an error.
    RefusesExtras,
    /// Content counts with every action.
    ContentDecides,
    /// Answers count without a state, and an answer to an earlier round counts again.
    AnswersAnyTime,
    /// A missing answer is an error.
    FailsOnMissing,
    /// Lengths are counted in UTF-16 units.
    CountsUtf16,

    // Faults of the capability gate.
    /// Declared capabilities are ignored.
    NoGate,
    /// The capabilities of the previous request hold for the next one.
    RemembersCapabilities,
    /// A capability may have any JSON type.
    AnyCapabilityType,
    /// An unknown capability is an error.
    RefusesCapabilities,
    /// Every request must declare every capability.
    WantsEverything,

    // Faults of the envelope.
    /// Every response has the same id.
    OneId,
    /// Complete results have no `resultType`.
    NoResultType,
    /// Lists are answered with a round.
    ListsAsk,
    /// Every error has the same code.
    OneCode,
    /// Every error has a code that only this server knows.
    OwnCode,
    /// Every error has the status 200.
    OneStatus,
    /// The `_meta` may lack everything but the client info.
    LaxMeta,
    /// Notifications are answered.
    AnswersNotifications,
    /// Responses are event streams. This is allowed.
    Streams,
    /// Event streams contain requests of the server.
    StreamsRequests,
    /// Responses have the media type of plain text.
    PlainText,
    /// The result has no text after a refusal, or if the call has an argument.
    NoTextAfterRefusal,
    /// A state-only round has no state, and the tool `roots` asks with an unknown method.
    OddRounds,

    // Faults of HTTP.
    /// Headers are ignored.
    NoHeaders,
    /// Header names are compared with their case, and encoded values are not decoded.
    ExactHeaders,
    /// Every origin and every HTTP method is allowed.
    AnyOriginAndMethod,

    // Faults of the whole server.
    /// All clients share one memory of earlier answers.
    SharedMemory,
    /// The server stops working after a deeply nested message.
    DiesOfNesting,
    /// The server hangs up on a body that cannot be parsed.
    HangsUp,
    /// Results are empty.
    EmptyResults,
}
