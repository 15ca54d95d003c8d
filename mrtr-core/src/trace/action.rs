//! Actions as data. They are only written: a replay makes them again.

use alloc::{format, string::String};

use serde::{Serialize, Serializer};

use super::value::{In, Member, View, Viewed};
use crate::{
    client::{Action, CloseReason, Outcome},
    id::LegId,
    wire::{InputRequest, Method},
};

/// An action as it is written.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Data<'a> {
    Send {
        leg: &'a LegId,
        method: Method,
        #[serde(flatten)]
        target: Member<'a>,
        #[serde(flatten)]
        binding: Member<'a>,
        #[serde(flatten)]
        params: Member<'a>,
    },
    CancelLeg {
        leg: &'a LegId,
    },
    Ask {
        round: u32,
        #[serde(flatten)]
        key: Member<'a>,
        #[serde(flatten)]
        request: In<'a, InputRequest>,
    },
    Retract {
        round: u32,
        #[serde(flatten)]
        key: Member<'a>,
        why: CloseReason,
    },
    Settle {
        outcome: &'static str,
        #[serde(flatten)]
        result: Option<Member<'a>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        code: Option<i64>,
        /// This crate's own text, which holds no secret.
        #[serde(rename = "message", skip_serializing_if = "Option::is_none")]
        fault: Option<String>,
        #[serde(flatten)]
        message: Option<Member<'a>>,
        #[serde(flatten)]
        data: Option<Member<'a>>,
    },
}

impl Viewed for Action {
    fn write<S: Serializer>(&self, view: View, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Send(request) => Data::Send {
                leg: &request.leg,
                method: request.method,
                target: Member::text(view, "target", &request.target),
                binding: Member::text(view, "binding", request.binding.as_str()),
                params: Member::json(view, "params", &request.params),
            },
            Self::CancelLeg { leg } => Data::CancelLeg { leg },
            Self::Ask { round, key, request } => Data::Ask {
                round: *round,
                key: Member::text(view, "key", key),
                request: In(view, request),
            },
            Self::Retract { round, key, why } => {
                Data::Retract { round: *round, key: Member::text(view, "key", key), why: *why }
            }
            Self::Settle(outcome) => settled(outcome, view),
        }
        .serialize(serializer)
    }
}

fn settled(outcome: &Outcome, view: View) -> Data<'_> {
    let (mut result, mut code, mut fault, mut message, mut data) = (None, None, None, None, None);
    match outcome {
        Outcome::Complete(json) => result = Some(Member::json(view, "result", json)),
        Outcome::Error(error) => {
            code = Some(error.code);
            message = Some(Member::text(view, "message", &error.message));
            data = error.data.as_ref().map(|json| Member::json(view, "data", json));
        }
        Outcome::Fault(_) | Outcome::TimedOut(_) => fault = Some(format!("{outcome}")),
        Outcome::Stopped | Outcome::Unanswerable | Outcome::Lost | Outcome::OutcomeUnknown => {}
    }
    Data::Settle { outcome: outcome.code(), result, code, fault, message, data }
}
