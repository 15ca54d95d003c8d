//! A world is known again by 128 bits: they tell apart what equality tells apart.

use mrtr_proptests::explore::{
    Scope, Searched, Size, Start, client::Calling, host::Hosting, scopes,
};

/// Counts the worlds that can be reached, and compares each with all that are known.
fn count<W: Searched>(start: W) -> u64 {
    let mut known = vec![start];
    let mut index = 0;
    while let Some(world) = known.get(index).cloned() {
        index += 1;
        for op in world.ops() {
            let (next, _) = world.step(&op).unwrap_or_else(|broken| panic!("{broken}"));
            let Some(next) = next else { continue };
            // What is alike was mostly found of late.
            if known.iter().rev().all(|other| *other != next) {
                known.push(next);
            }
        }
    }
    index.try_into().unwrap()
}

#[test]
fn a_digest_tells_apart_what_equality_tells_apart() {
    let limited = scopes()
        .into_iter()
        .filter(|scope| scope.size == Size::Small && scope.name.ends_with("30 s for all its legs"));
    let limited: Vec<_> = limited.collect();
    assert_eq!(limited.len(), 2, "an invocation, and a broker");
    for scope in limited {
        let Scope { name, start, .. } = &scope;
        let exact = match start {
            Start::Client(setup) => count(Calling::start(setup.clone()).0),
            Start::Host(setup) => count(Hosting::start(*setup)),
            Start::Pair(_) => panic!("{name}: neither an invocation nor a broker"),
        };
        assert_eq!(scope.explore(1).unwrap().states, exact, "{name}");
    }
}
