//! The page, written from what was seen.

use core::fmt::Write as _;
use mrtr_proptests::{
    faults::{Driver, faults},
    invariants::Invariant,
};
use std::collections::{BTreeMap, BTreeSet};

use mrtr_core::{
    Phase, Trigger,
    lifecycle::{self, Step},
};
use mrtr_proptests::explore::{
    Counts, Found, Label, Part, Place, Scope, Seen, Stage, What, scopes, snake,
};

use crate::invariants;

/// Writes the page.
pub(crate) fn write(explored: &[(Scope, Found)], golden: &[(String, Counts)]) -> String {
    let seen = |part: Part| -> BTreeSet<Seen> {
        let of_it = explored.iter().filter(|(scope, _)| scope.part == part);
        of_it.flat_map(|(_, found)| found.seen.iter().cloned()).collect()
    };
    let (clients, volatiles, durables) =
        (seen(Part::Client), seen(Part::Volatile), seen(Part::Durable));
    let hosts: BTreeSet<Seen> = volatiles.union(&durables).cloned().collect();
    let mut page = String::from(HEAD);
    for (question, event, answer) in QUESTIONS {
        let _ = write!(page, "\n### {question}\n\n{answer}\n\n");
        page.push_str("| machine | place | then |\n|---|---|---|\n");
        answers(&mut page, "invocation", &clients, event);
        answers(&mut page, "broker without a store", &volatiles, event);
        answers(&mut page, "broker with a store", &durables, event);
    }
    page.push_str(TABLE);
    table(&mut page, &clients, &hosts);
    page.push_str("\n## The client's invocation\n\n");
    diagram(&mut page, &clients);
    page.push_str(BROKER);
    diagram(&mut page, &durables);
    page.push_str(CLOCKS_BEGIN);
    clocks(&mut page, &[("invocation", &clients), ("broker", &hosts)]);
    page.push_str(CLOCKS_END);
    page.push_str(INVARIANTS);
    for invariant in Invariant::ALL {
        let tests: Vec<_> =
            invariants::others(invariant).iter().map(|test| format!("`{test}`")).collect();
        let faults = faults().into_iter().filter(|fault| fault.breaks == invariant);
        let (names, drivers): (BTreeSet<_>, Vec<_>) =
            faults.map(|fault| (fault.name, fault.found_by)).unzip();
        let (number, statement) = (invariant.number(), invariant.statement());
        let machines = machines(&drivers.concat());
        let names = names.into_iter().collect::<Vec<_>>().join("; ");
        let tests = tests.join(", ");
        let _ = writeln!(page, "| {number} | {statement} | {machines} | {names} | {tests} |");
    }
    page.push_str(SCOPES);
    for Scope { name, bounds, size, .. } in scopes() {
        let counts = golden.iter().find(|(known, _)| known == name).map(|(_, counts)| *counts);
        let Counts { states, tried, changed, depth } = counts.unwrap();
        let size = snake(&format!("{size:?}"));
        let _ = writeln!(
            page,
            "| {name} | {bounds} | {size} | {states} | {tried} | {changed} | {depth} |"
        );
    }
    let states: u64 = golden.iter().map(|(_, counts)| counts.states).sum();
    let _ = writeln!(page, "| in all | | | {states} | | | |");
    page
}

/// Returns the machines in whose scopes a fault is found: `i` for the invocation, `b` for the broker,
/// `p` for the pair.
fn machines(drivers: &[Driver]) -> String {
    let letter = |driver: &Driver| {
        let Driver::Search(name) = driver else { return None };
        match scopes().into_iter().find(|scope| scope.name == *name)?.part {
            Part::Client => Some("i"),
            Part::Volatile | Part::Durable => Some("b"),
            Part::Pair => Some("p"),
        }
    };
    let found: BTreeSet<_> = drivers.iter().filter_map(letter).collect();
    ["i", "b", "p"]
        .into_iter()
        .filter(|letter| found.contains(letter))
        .collect::<Vec<_>>()
        .join(" ")
}

const HEAD: &str = "\
# The lifecycle, on one page

A test draws this page from the code (`UPDATE_GOLDEN=1 cargo test -p mrtr-proptests --test lifecycle`)
and fails while it differs: it lets everything that can happen to the machines happen, at every point,
checks the invariants in every state and in every action, and writes down what it saw. `cargo explore`
does the same in the larger scopes, which are listed at the end.

Three machines run on one lifecycle: the client's **i**nvocation (one call over many requests), the
host's **b**roker (the one owner of every question that a provider asks), the server's exchange (one
request). A *leg* is a request that is in flight, or a provider that works.

## What happens to a pending form ..
";

const QUESTIONS: [(&str, &str, &str); 4] = [
    (
        ".. when the connection to the server or the provider drops?",
        "the connection drops",
        "It is taken back from everybody who was asked, and the call ends as lost: nothing was in flight,
so nothing is in doubt. No answer counts any more, and none goes over another connection. An answer
that the store was still to hold is closed with the question.",
    ),
    (
        ".. when a second answer comes?",
        "a second answer",
        "The first answer that fits has won. A later one, alike or not, changes nothing and is refused. The
invocation refuses it as `answered` while other questions of its round are open, and as `wrong_round`
after that. The broker refuses it as `stale` and says what has won: the first answer or, where the call
ended before that was delivered, the end of the call.",
    ),
    (
        ".. when its clock runs out?",
        "tick",
        "It is taken back, and the call ends as timed out. Nothing is sent to the server; a provider that
asked is told to cancel. While a question or an answer is at the store, it is the store's clock that runs,
and the call ends because the store has failed.",
    ),
    (
        ".. when the caller stops?",
        "the caller stops",
        "It is taken back, and the call ends as stopped. Nothing more is sent to the server, and no
refusal is made up; a provider that asked is told to cancel. Where nobody is asked, the call ends as
stopped too, and a leg that is in flight is cancelled: the diagrams have it.",
    ),
];

const TABLE: &str = "
## The table

What a trigger does in a phase. `·` has nothing to do, `✗` is the caller's mistake and changes nothing.
The last column says which machine was seen to move by it. The exchange runs on the same table.

";

const BROKER: &str = "
## The host's broker

With a store. Without one, a question is shown at once, and its answer is delivered at once: the two
places at the store are not there. An edge has all actions that were seen on it; a cancel is delivered
where the provider can still hear of it.

";

const CLOCKS_BEGIN: &str = "
## The clocks

What runs in which place, and what happens when it runs out. The times are the defaults. The 30 s for
all legs together (`execution`) are an example: by default there is no such limit.

| machine | place | after | then |
|---|---|---|---|
";

const CLOCKS_END: &str = "
No clock runs that is not in this table: while somebody is asked, no leg is in flight, and no time of
one is spent. Each leg has a fresh clock, and the one of all legs goes on from where it stood. A clock
runs out by a tick. Where all legs together have used their time up, a result that asks, or that wants the
call again, ends the call as timed out: there would be no time for the next leg. Each pause is twice the
one before it, up to 4 s.
";

const INVARIANTS: &str = "
## Invariants

Each is checked in every state and action that is explored: of the client's invocation (i), of the
host's broker (b), of a client and a server as a pair (p). For each, and for each machine that is named
with it, there are faults that a test puts between the machine and its world, and that the search finds
(`every_invariant_has_faults_that_break_it_and_each_is_found`,
`an_invariant_is_explored_where_a_fault_that_breaks_it_is_found`). The last column has further tests.

| | always | explored | faults that are found | other tests |
|---|---|---|---|---|
";

const SCOPES: &str = "
## Scopes

In each, everything else that can happen does, in every order. What is left out everywhere: time goes
where something is due, or by the steps that are named; refused frames are not counted, since there
would be no end to the count; who asks, asks the same each time. The broker's scopes with a question by
URL also try answers of kinds that the question does not have, frames on every other connection and on
one that never was, and unreadable frames that name their question. Its other scopes leave these out:
their questions are forms, and only a result comes over the connection of another provider. Those with
one of each sort of ending leave out what ends or is refused in the same way: cancellations, answers that
do not fit, questions that nobody can be asked, frames that reject, fail or release, retired
registrations, ends of turns. A pair has one form, which is accepted or declined. The small ones are
explored by each run of the tests, those and the medium ones by CI (`cargo explore --medium`), all of them
by `cargo explore`, which compares these counts.

| scope | bounds | size | states | events tried | that changed something | depth |
|---|---|---|---|---|---|---|
";

fn table(page: &mut String, clients: &BTreeSet<Seen>, hosts: &BTreeSet<Seen>) {
    let names: Vec<_> = Phase::ALL.iter().map(|phase| format!("{phase:?}")).collect();
    let names = names.join(" | ");
    let _ = writeln!(page, "| trigger | {names} | seen |\n|---|---|---|---|---|---|---|");
    for trigger in Trigger::ALL.iter().copied() {
        let _ = write!(page, "| {trigger:?} |");
        for phase in Phase::ALL.iter().copied() {
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

/// Draws a diagram. An edge has the kinds of the actions that were seen, and all triggers that make
/// for the same.
fn diagram(page: &mut String, seen: &BTreeSet<Seen>) {
    type Edge = (Option<Place>, Place);
    let mut edges: BTreeMap<Edge, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
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
        let mut alike: BTreeMap<&BTreeSet<String>, Vec<&str>> = BTreeMap::new();
        for (trigger, kinds) in by {
            alike.entry(kinds).or_default().push(trigger);
        }
        for (kinds, triggers) in alike {
            let kinds: Vec<_> = kinds.iter().map(String::as_str).collect();
            let actions =
                if kinds.is_empty() { String::new() } else { format!(" / {}", kinds.join(", ")) };
            let _ = writeln!(page, "    {from} --> {}: {}{actions}", id(to), triggers.join(", "));
        }
    }
    page.push_str("    Settled --> [*]\n```\n");
}

fn id(place: &Place) -> String {
    let stage = match place.stage {
        Stage::None | Stage::Shown => "",
        Stage::QuestionAtStore => "_question_at_store",
        Stage::AnswerAtStore => "_answer_at_store",
    };
    format!("{:?}{stage}", place.phase)
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
fn clocks(page: &mut String, machines: &[(&str, &BTreeSet<Seen>)]) {
    let mut rows: BTreeMap<_, Vec<&str>> = BTreeMap::new();
    for (machine, seen) in machines {
        for Seen { from, what, .. } in *seen {
            if let (Some(from), What::Moved { actions, after: Some(after), .. }) = (from, what) {
                let last = actions.last().unwrap().to_string();
                let machines = rows.entry((*from, *after, last)).or_default();
                if !machines.contains(machine) {
                    machines.push(machine);
                }
            }
        }
    }
    for ((from, after, last), machines) in rows {
        let machines = machines.join(", ");
        let _ = writeln!(page, "| {machines} | {} | {after:?} | {last} |", name(&from));
    }
}

/// Lists what an event did to a form that was pending, or was answered. What comes to the same is
/// one row.
fn answers(page: &mut String, machine: &str, seen: &BTreeSet<Seen>, event: &str) {
    let mut rows: BTreeMap<(BTreeSet<String>, String), BTreeSet<Place>> = BTreeMap::new();
    let mut refused: BTreeMap<Place, BTreeSet<String>> = BTreeMap::new();
    for Seen { from, what, .. } in seen.iter().filter(|seen| seen.event == event) {
        let Some(from) = *from else { continue };
        match what {
            What::Refused(why) => {
                refused.entry(from).or_default().insert(format!("`{why}`"));
            }
            What::Moved { actions, .. } if from.phase == Phase::AwaitingInteraction => {
                rows.entry((BTreeSet::new(), steps(actions))).or_default().insert(from);
            }
            What::Moved { .. } | What::Began(_) => {}
        }
    }
    for (from, whys) in refused {
        rows.entry((whys, "refused: ".into())).or_default().insert(from);
    }
    for ((whys, then), places) in rows {
        let places: Vec<_> = places.iter().map(name).collect();
        let whys = whys.into_iter().collect::<Vec<_>>().join(", ");
        let _ = writeln!(page, "| {machine} | {} | {then}{whys} |", places.join("; "));
    }
}

/// Writes actions in their order: what is done for each question once.
fn steps(actions: &[Label]) -> String {
    let one = |action: &Label| match action.detail.split_once(" (") {
        Some((_, why)) if action.kind == "Retract" => format!("Retract each ({why}"),
        _ => action.to_string(),
    };
    let mut steps: Vec<String> = actions.iter().map(one).collect();
    steps.dedup();
    steps.join(" → ")
}
