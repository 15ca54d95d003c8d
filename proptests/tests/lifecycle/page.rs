//! The page, written from what was seen.

use core::fmt::Write as _;
use std::collections::{BTreeMap, BTreeSet};

use mrtr_core::{
    Phase, Trigger,
    lifecycle::{self, Step},
};

use crate::explore::{Found, Place, Seen, Stage, What};

/// Is one scope that was explored, and what it is called.
pub(crate) struct Scope {
    pub(crate) name: &'static str,
    pub(crate) found: Found,
}

/// The invariants, with the tests that check each beside the exploration.
const INVARIANTS: [(&str, &[&str]); 12] = [
    (
        "At most one `Settle` per invocation, and nothing after it.",
        &[
            "nothing_leaves_settled",
            "the_invariants_hold_whatever_happens",
            "the_rules_hold_whatever_happens",
        ],
    ),
    (
        "No `Send` while an interaction is pending or a leg is in flight.",
        &["the_invariants_hold_whatever_happens"],
    ),
    (
        "The leg clock runs if and only if a leg is in flight; the interaction clock if and only if somebody is asked.",
        &["the_invariants_hold_whatever_happens", "the_rules_hold_whatever_happens"],
    ),
    (
        "Every `Ask` is followed by exactly one of: an answer consumed, a `Retract`.",
        &["the_invariants_hold_whatever_happens", "the_rules_hold_whatever_happens"],
    ),
    (
        "A retry carries exactly the keys that were asked in its round, and the state of its round or none.",
        &["nothing_of_a_round_reaches_a_later_one", "the_invariants_hold_whatever_happens"],
    ),
    (
        "No answer reaches a server, connection, session or invocation other than the one that asked.",
        &[
            "two_calls_with_the_same_key_get_each_its_own_answer_and_state",
            "the_rules_hold_whatever_happens",
        ],
    ),
    (
        "After `Stop`, no `Send`.",
        &[
            "the_invariants_hold_whatever_happens",
            "criterion_7_a_global_stop_sends_no_retry_and_leaves_nothing_pending",
        ],
    ),
    ("The number of legs is at most 1 + `rounds_max`.", &["the_invariants_hold_whatever_happens"]),
    (
        "No settled invocation has a pending interaction; no pending interaction lacks a live invocation.",
        &["the_rules_hold_whatever_happens"],
    ),
    (
        "A committed answer is never replaced; nothing is delivered before it is stored.",
        &[
            "a_question_is_held_before_it_is_shown_and_an_answer_before_it_is_delivered",
            "the_rules_hold_whatever_happens",
        ],
    ),
    (
        "A sentinel placed in `requestState`, in answers and in keys appears in no `Debug`, error, report or projection.",
        &[
            "no_debug_and_no_error_shows_a_state_an_answer_or_an_argument",
            "no_debug_and_no_error_shows_what_is_asked_answered_or_executed",
            "criterion_12_the_state_of_a_server_is_nowhere_but_between_it_and_its_client",
        ],
    ),
    (
        "The handler never runs on a state that did not verify, nor twice on a single-use one.",
        &[
            "every_bit_of_a_token_counts_and_no_byte_is_lost_added_or_swapped",
            "the_store_is_asked_before_the_handler_runs_and_nothing_counts_before_it_spoke",
        ],
    ),
];

/// Returns the names of all tests that the page refers to.
pub(crate) fn tests() -> impl Iterator<Item = &'static str> {
    INVARIANTS.iter().flat_map(|(_, tests)| *tests).copied()
}

/// Writes the page.
pub(crate) fn write(client: &[Scope], volatile: &[Scope], durable: &[Scope]) -> String {
    let seen = |scopes: &[Scope]| -> BTreeSet<Seen> {
        scopes.iter().flat_map(|scope| scope.found.seen.iter().cloned()).collect()
    };
    let (clients, volatiles, durables) = (seen(client), seen(volatile), seen(durable));
    let hosts: BTreeSet<Seen> = volatiles.union(&durables).cloned().collect();
    let mut page = String::from(HEAD);
    table(&mut page, &clients, &hosts);
    page.push_str("\n## The client's invocation\n\n");
    diagram(&mut page, &clients);
    page.push_str("\n## The host's broker\n\nWith a store. Without one, a question is `shown` at once, and its answer is delivered at once.\n\n");
    diagram(&mut page, &durables);
    page.push_str(
        "\n## What runs out where\n\n| machine | place | after | then |\n|---|---|---|---|\n",
    );
    clocks(&mut page, "invocation", &clients);
    clocks(&mut page, "broker", &durables);
    page.push_str(CLOCKS);
    for (question, event) in QUESTIONS {
        let _ = write!(page, "\n## {question}\n\n| machine | place | then |\n|---|---|---|\n");
        answers(&mut page, "invocation", &clients, event);
        answers(&mut page, "broker without a store", &volatiles, event);
        answers(&mut page, "broker with a store", &durables, event);
    }
    page.push_str("\n## Invariants\n\nChecked in every state that was explored, where they concern these machines, and by these tests:\n\n");
    for (number, (invariant, tests)) in INVARIANTS.iter().enumerate() {
        let tests: Vec<_> = tests.iter().map(|test| format!("`{test}`")).collect();
        let _ = writeln!(page, "{}. {invariant} {}", number + 1, tests.join(", "));
    }
    page.push_str("\n## Scopes\n\n| scope | states | events tried | that changed something |\n|---|---|---|---|\n");
    for Scope { name, found } in client.iter().chain(volatile).chain(durable) {
        let Found { states, tried, changed, .. } = found;
        let _ = writeln!(page, "| {name} | {states} | {tried} | {changed} |");
    }
    page
}

const HEAD: &str = "\
# The lifecycle, on one page

A test draws this page from the code (`UPDATE_GOLDEN=1 cargo test -p mrtr-proptests --test lifecycle`)
and fails while it differs: it lets everything that can happen to the machines happen, at every point,
in the scopes named at the end, checks the invariants in every state, and writes down what it saw.

## The table

What a trigger does in a phase. `·` has nothing to do, `✗` is the caller's mistake and changes nothing.
The last column says which machine was seen to move by it: the client's **i**nvocation, the host's
**b**roker.

";

const CLOCKS: &str = "
No clock runs that is not in this table: while somebody is asked, the clock of who executes stands
still, and it begins anew with the answer. The defaults are shown. A clock runs out by a tick; a call
whose legs have spent their time in all is also over when it asks, or wants to be called again.
";

const QUESTIONS: [(&str, &str); 4] = [
    ("What happens to a pending form when the connection drops?", "the connection drops"),
    ("What happens when a second answer comes?", "a second answer"),
    ("What happens to a pending form when its clock runs out?", "tick"),
    ("What happens to a pending form when the caller stops?", "the caller stops"),
];

fn table(page: &mut String, clients: &BTreeSet<Seen>, hosts: &BTreeSet<Seen>) {
    let names = Phase::ALL.map(|phase| format!("{phase:?}")).join(" | ");
    let _ = writeln!(page, "| trigger | {names} | seen |\n|---|---|---|---|---|---|---|");
    for trigger in Trigger::ALL {
        let _ = write!(page, "| {trigger:?} |");
        for phase in Phase::ALL {
            let cell = match lifecycle::step(phase, trigger) {
                Step::Go(to) => format!("{to:?}"),
                Step::Ignore => "·".into(),
                Step::Refuse => "✗".into(),
            };
            let _ = write!(page, " {cell} |");
        }
        let moved = |seen: &BTreeSet<Seen>| {
            seen.iter().any(|seen| matches!(&seen.what, What::Moved { by, .. } if *by == trigger))
        };
        let marks = [(moved(clients), "i"), (moved(hosts), "b")];
        let marks: Vec<_> = marks.iter().filter(|(is, _)| *is).map(|(_, mark)| *mark).collect();
        let _ = writeln!(page, " {} |", marks.join(" "));
    }
}

/// Draws a diagram, with the triggers of each edge and the kinds of the actions that were seen.
fn diagram(page: &mut String, seen: &BTreeSet<Seen>) {
    let mut edges: BTreeMap<(Option<Place>, Place), BTreeMap<String, BTreeSet<String>>> =
        BTreeMap::new();
    for Seen { from, to, what, .. } in seen {
        let (by, actions) = match what {
            What::Began(actions) => ("called".into(), actions),
            What::Moved { by, actions, .. } => (format!("{by:?}"), actions),
            What::Refused(_) => continue,
        };
        let kinds = edges.entry((*from, *to)).or_default().entry(by).or_default();
        kinds.extend(actions.iter().map(|action| action.kind.clone()));
    }
    page.push_str("```mermaid\nstateDiagram-v2\n");
    for ((from, to), by) in &edges {
        let from = from.map_or("[*]".into(), |from| id(&from));
        for (trigger, kinds) in by {
            let kinds: Vec<_> = kinds.iter().map(String::as_str).collect();
            let actions =
                if kinds.is_empty() { String::new() } else { format!(" / {}", kinds.join(", ")) };
            let _ = writeln!(page, "    {from} --> {}: {trigger}{actions}", id(to));
        }
    }
    page.push_str("    Settled --> [*]\n```\n");
}

fn id(place: &Place) -> String {
    format!(
        "{:?}{}",
        place.phase,
        match place.stage {
            Stage::None | Stage::Shown => "",
            Stage::QuestionAtStore => "_question_at_store",
            Stage::AnswerAtStore => "_answer_at_store",
        }
    )
}

fn name(place: &Place) -> String {
    let stage = match place.stage {
        Stage::None => "",
        Stage::QuestionAtStore => ", the question is at the store",
        Stage::Shown => ", somebody is asked",
        Stage::AnswerAtStore => ", the answer is at the store",
    };
    format!("{:?}{stage}", place.phase)
}

/// Lists what a tick did, where it did something.
fn clocks(page: &mut String, machine: &str, seen: &BTreeSet<Seen>) {
    let mut rows = BTreeSet::new();
    for Seen { from, what, .. } in seen {
        if let (Some(from), What::Moved { actions, after: Some(after), .. }) = (from, what) {
            let last = actions.last().unwrap();
            rows.insert((*from, last.to_string(), *after));
        }
    }
    for (from, last, after) in rows {
        let _ = writeln!(page, "| {machine} | {} | {after:?} | {last} |", name(&from));
    }
}

/// Lists what an event did to a form that was pending, or was answered.
fn answers(page: &mut String, machine: &str, seen: &BTreeSet<Seen>, event: &str) {
    let mut rows: BTreeSet<(Place, String)> = BTreeSet::new();
    for Seen { event: of, from, what, .. } in seen.iter().filter(|seen| seen.event == event) {
        let Some(from) = *from else { continue };
        match what {
            What::Refused(why) => {
                rows.insert((from, format!("refused: `{why}`")));
            }
            What::Moved { actions, .. } if from.phase == Phase::AwaitingInteraction => {
                let actions: Vec<_> = actions.iter().map(ToString::to_string).collect();
                rows.insert((from, actions.join(" → ")));
            }
            What::Moved { .. } | What::Began(_) => {}
        }
        assert_eq!(*of, event);
    }
    for (from, then) in rows {
        let _ = writeln!(page, "| {machine} | {} | {then} |", name(&from));
    }
}
