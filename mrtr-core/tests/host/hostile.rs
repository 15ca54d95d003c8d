//! Providers that flood, lie and repeat themselves.

use mrtr_core::{
    InvocationId,
    host::{Event, Fault},
    wire::WireError,
};

use crate::{
    lines::{FILES, MAIL, accepted, asking, asking_json, rejected, released, result, yes},
    play::{At, Play},
};

/// proves: HB-15
#[test]
fn a_report_is_small_however_large_the_refused_frame_is() {
    let name = "n".repeat(100_000);
    for kind in [r#"{"text":{"format":"ipv4"}}"#, r#"{"choice":{"options":[]}}"#, r#"{"x":1}"#] {
        let form = format!(r#"{{"version":1,"fields":[{{"name":"{name}","kind":{kind}}}]}}"#);
        let request = format!(
            r#"{{"form":{form},"message":"m","requester":{{"provider":"p","server":"s","tool":"t"}}}}"#
        );
        let mut play = Play::durable().brought(At::Accepted);
        let (why, _) = play.refused(FILES, asking_json(&play.call.clone(), 1, &request));
        assert_eq!(why.code(), "form");
        assert!(why.to_string().len() < 2_000, "{} bytes for {kind}", why.to_string().len());
    }
}

/// proves: HB-03
#[test]
fn a_repeated_frame_counts_once() {
    let mut play = Play::durable().brought(At::Resumed);
    for _ in 0..3 {
        play.say_on(FILES, asking(&play.call, 1));
    }
    assert_eq!(play.broker.refused(FILES), Some(3));
    play.say(result(&play.call));
    for frame in
        [result(&play.call), result(&play.call), released(&play.call), rejected(&play.call)]
    {
        assert_eq!(play.refused(FILES, frame), (Fault::NotLive, None));
    }
    assert_eq!(play.settled.len(), 1);
}

/// proves: HB-03, HB-15
#[test]
fn a_provider_that_speaks_for_others_harms_nobody_but_its_own_count() {
    let mut play = Play::durable().brought(At::Shown);
    for number in 0..200_u64 {
        let other = InvocationId::new(&format!("{}.{}", number % 3, number % 7)).unwrap();
        for frame in [asking(&other, number), result(&other), released(&other), accepted(&other)] {
            play.say_on(MAIL, frame);
        }
        let event = Event::Unreadable { connection: MAIL, error: WireError::NotJson.into() };
        play.handle(event).unwrap();
    }
    let counted = [FILES, MAIL].map(|on| play.broker.refused(on));
    assert_eq!(counted, [Some(0), Some(1_000)]);
    play.answer(yes()).unwrap();
    play.hold();
    play.say(result(&play.call));
    assert_eq!(play.settled[&play.call].code(), "complete");
}
