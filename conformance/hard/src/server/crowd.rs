//! Many clients at once, and the server at the end.

use std::thread;

use super::{
    CheckResult, CheckSpec,
    cases::each,
    fixture::{Fixture, count, name_under},
    honest, own, should,
};
use crate::check::Problem;

/// The number of flows at once.
const FLOWS: usize = 50;

const APART: &str = "basic, statelessness: requests of several conversations";

pub(super) const SPECS: &[CheckSpec] = &[
    should(
        "crowd-two-rounds",
        APART,
        "50 flows of two rounds at once; each result holds what its own client said.",
        |target| {
            target.needs(Fixture::TwoRounds)?;
            crowd(|flow| {
                let name = format!("client-{flow}");
                let first = target.begin(Fixture::TwoRounds)?.state;
                let call = Fixture::TwoRounds.call();
                let answered =
                    call.clone().answers(name_under("first", &name)).state(first.as_deref());
                let second = target.send(&answered).asks(&["second"])?.state;
                let flow = u32::try_from(flow).unwrap_or_default();
                let answered = call.answers(count(flow)).state(second.as_deref());
                target
                    .send(&answered)
                    .done(&format!("two:{name}:{flow}"))
                    .map(|()| "complete".into())
            })
        },
    ),
    should(
        "crowd-mixed",
        APART,
        "50 flows of a form, a prompt, a resource and two questions at once.",
        |target| {
            let fixtures = [Fixture::Form, Fixture::Prompt, Fixture::Resource, Fixture::Several];
            let there: Vec<_> =
                fixtures.into_iter().filter(|fixture| target.needs(*fixture).is_ok()).collect();
            if there.is_empty() {
                return Err(Problem::NotOffered("none of the fixtures works".into()));
            }
            crowd(|flow| {
                let Some(fixture) = there.get(flow % there.len()) else { return Ok(String::new()) };
                let text = fixture.text().unwrap_or_default();
                target.play(*fixture, &fixture.answers())?.done(text).map(|()| "complete".into())
            })
        },
    ),
    own(
        "end-alive",
        "W-11: no input breaks the server",
        "At the end, the form is asked and answered once more.",
        honest::still_works,
    ),
];

/// Plays [`FLOWS`] flows at once.
fn crowd(play: impl Fn(usize) -> CheckResult + Sync) -> CheckResult {
    let play = &play;
    let found: Vec<CheckResult> = thread::scope(|scope| {
        let threads: Vec<_> = (0..FLOWS).map(|flow| scope.spawn(move || play(flow))).collect();
        let lost = |_| {
            let came_back = "the flow did not end".into();
            Err(Problem::Failed { sent: "a flow".into(), came_back })
        };
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(lost)).collect()
    });
    each(found.into_iter().enumerate().map(|(flow, found)| (format!("flow {flow}"), found)), |it| {
        it
    })
}
