//! Actions as data. They are only written: a replay makes them again.

use serde::Serializer;

use super::value::{View, Viewed, asked};
use crate::client::{Action, Outcome};

impl Viewed for Action {
    fn write<S: Serializer>(&self, view: View, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Send(request) => view
                .variant(to, "send", 5)?
                .with("leg", &request.leg)?
                .with("method", &request.method)?
                .text(["target", "targetBytes"], &request.target)?
                .text(["binding", "bindingBytes"], request.binding.as_str())?
                .json(["params", "paramsBytes"], &request.params)?
                .end(),
            Self::CancelLeg { leg } => view.variant(to, "cancelLeg", 1)?.with("leg", leg)?.end(),
            Self::Ask { round, key, request } => {
                let ask = view.variant(to, "ask", 3)?.with("round", round)?;
                let (name, asked) = asked(request, view);
                ask.text(["key", "keyBytes"], key)?.with(name, &asked)?.end()
            }
            Self::Retract { round, key, why } => {
                let retract = view.variant(to, "retract", 3)?.with("round", round)?;
                retract.text(["key", "keyBytes"], key)?.with("why", why)?.end()
            }
            Self::Settle(outcome) => {
                let settle = |members| {
                    let settle = view.variant(to, "settle", members)?;
                    settle.with("outcome", outcome.code())
                };
                match outcome {
                    Outcome::Complete(json) => settle(2)?.json(["result", "resultBytes"], json)?,
                    Outcome::Error(error) => {
                        let members = 3 + usize::from(error.data.is_some());
                        let settle = settle(members)?.with("code", &error.code)?;
                        let settle = settle.text(["message", "messageBytes"], &error.message)?;
                        match &error.data {
                            Some(data) => settle.json(["data", "dataBytes"], data)?,
                            None => settle,
                        }
                    }
                    // This crate's own text, which holds no secret.
                    Outcome::Fault(_) | Outcome::TimedOut(_) => {
                        settle(2)?.with("message", &format_args!("{outcome}"))?
                    }
                    Outcome::Stopped
                    | Outcome::Unanswerable
                    | Outcome::Lost
                    | Outcome::OutcomeUnknown => settle(1)?,
                }
                .end()
            }
        }
    }
}
