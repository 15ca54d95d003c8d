//! What a provider may do otherwise than it should.

use mrtr_core::{
    host::{HostFrame, ProviderFrame},
    wire::RawJson,
};

use super::{Driver, Fault, Lie};
use crate::invariants::Invariant;

/// The hook between a provider and its world.
#[derive(Clone, Copy, Debug)]
pub struct ProviderLie {
    /// Changes what the provider says to its host.
    pub says: fn(&mut ProviderFrame),
    /// Whether the provider gives an answer to whichever of its calls waits for one.
    pub mixes_up_calls: bool,
    /// Whether the provider goes on with what its host has cancelled.
    pub ignores_cancel: bool,
    /// Writes what the host says into a log.
    pub logs: fn(&HostFrame) -> String,
}

impl ProviderLie {
    /// No lie.
    pub const HONEST: Self = Self {
        says: |_| {},
        mixes_up_calls: false,
        ignores_cancel: false,
        logs: |frame| format!("{frame:?}"),
    };
}

/// Lists the faults of a provider.
pub(super) fn rows() -> Vec<Fault> {
    use Invariant::*;
    let honest = ProviderLie::HONEST;
    let row = |name, breaks, lie| Fault {
        name,
        breaks,
        says: "",
        lie: Lie::Provider(lie),
        found_by: vec![Driver::World],
    };
    vec![
        row(
            "an answer goes to another call of the provider",
            AnswersReachWhoAsked,
            ProviderLie { mixes_up_calls: true, ..honest },
        ),
        row(
            "the result of one call is passed off as that of another",
            AnswersReachWhoAsked,
            ProviderLie { says: takes_for_another, ..honest },
        ),
        row(
            "a frame is logged with its payload",
            NothingSecretIsShown,
            ProviderLie { logs: HostFrame::to_json, ..honest },
        ),
        row(
            "a provider goes on with what was cancelled",
            EverythingEnds,
            ProviderLie { ignores_cancel: true, ..honest },
        ),
    ]
}

fn takes_for_another(frame: &mut ProviderFrame) {
    if let ProviderFrame::Result { result, .. } = frame {
        let other = result.as_str().replace(r#""call":"#, r#""call":1"#);
        *result = RawJson::parse(&other).unwrap();
    }
}
