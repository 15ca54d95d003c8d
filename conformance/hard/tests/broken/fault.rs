//! The ways in which a server can be wrong.

/// One way in which a server can be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    // Of the state.
    /// It is JSON that anybody can write.
    PlainState,
    /// Only the beginning of its tag is compared.
    LooseTag,
    /// It opens in every spelling of base64.
    LooseBase64,
    /// One that is empty, or no text, is one of nobody.
    NobodysState,
    /// It is good for every request.
    UnboundState,
    /// It is bound to how the request was written, and to all of it.
    BoundToText,
    /// It is good for ever.
    ImmortalState,
    /// One that does not open is an error of its own.
    OwnStateError,
    /// A large one takes its time.
    SlowState,
    /// One round more is asked than may be.
    OneRoundMore,
    /// One round less is asked than may be.
    OneRoundLess,

    // Of the answers.
    /// They are taken as they come.
    UncheckedAnswers,
    /// Those that come wrapped are unwrapped.
    UnwrapsAnswers,
    /// An array of one answer is that answer.
    OneOfTheArray,
    /// Anything beside what was asked is an error.
    RefusesExtras,
    /// Content counts, whatever the action.
    ContentDecides,
    /// They count without a state, too, and one of a round that is over counts again.
    AnswersAnyTime,
    /// A missing one is an error.
    FailsOnMissing,
    /// Lengths are those of UTF-16.
    Utf16,

    // Of the gate.
    /// The client is asked whatever it declared.
    NoGate,
    /// What the last client said of itself holds for the next one.
    Remembers,
    /// A capability of any type is one.
    TakesAnyCapability,
    /// A capability that is not known is an error.
    RefusesCapabilities,
    /// Everything has to be declared, always.
    WantsEverything,

    // Of the envelope.
    /// Every answer has the same id.
    OneId,
    /// Complete results have no type.
    NoResultType,
    /// Lists ask.
    ListsAsk,
    /// Every error has the same code.
    OneCode,
    /// Errors have a code that only this server knows.
    OwnCode,
    /// Every error has status 200.
    OneStatus,
    /// The `_meta` is not looked at closely, but for who is asking.
    LaxMeta,
    /// Notifications are answered.
    AnswersNotifications,
    /// Answers come as event streams. It is no fault.
    Streams,
    /// Event streams hold requests.
    StreamsRequests,
    /// Answers are said to be plain text.
    PlainText,
    /// Whoever refuses is told nothing, and whoever brings an argument.
    ForgetsWhatWasSaid,
    /// A round of a state has neither state nor question; one of roots has a question of its own.
    OddRounds,

    // Of HTTP.
    /// Headers are not read.
    NoHeaders,
    /// Headers are read as they are, in their own case.
    ExactHeaders,
    /// Every page may call, by every method.
    OpenDoor,

    // Of everything.
    /// All clients share one memory of what was said.
    SharedMemory,
    /// The server stops for good when a message nests deep.
    DiesOfDepth,
    /// The server hangs up where it cannot parse.
    HangsUp,
    /// Results say nothing.
    SaysNothing,
}
