//! How long a token lives.

use core::time::Duration;

use getrandom::SysRng;
use mrtr_core::{UnixTime, seal::OpenCause};

use crate::play::{NOW, alices, anonymous, cause, of_each_cipher, seal};

fn after(secs: u64) -> UnixTime {
    UnixTime::from_secs(NOW.as_secs() + secs)
}

/// proves: ST-04
#[test]
fn a_state_expires_and_is_not_valid_before_its_time() {
    for states in of_each_cipher() {
        let token = seal(&states, &alices());
        assert!(states.open(after(299), &alices(), &token).is_ok());
        assert_eq!(cause(&states, after(300), &alices(), &token), OpenCause::Expired);
        let token = seal(&states, &anonymous());
        assert!(states.open(after(59), &anonymous(), &token).is_ok());
        assert_eq!(cause(&states, after(60), &anonymous(), &token), OpenCause::Expired);
        let before = |secs: u64| UnixTime::from_secs(NOW.as_secs() - secs);
        assert!(states.open(before(30), &anonymous(), &token).is_ok());
        assert_eq!(cause(&states, before(31), &anonymous(), &token), OpenCause::NotYetValid);
        let never = UnixTime::from_secs(u64::MAX);
        assert_eq!(cause(&states, never, &anonymous(), &token), OpenCause::Expired);
    }
}

/// proves: ST-04, ST-08
#[test]
fn an_opened_state_says_when_it_has_expired_on_every_server() {
    for states in of_each_cipher() {
        let opened = states.open(NOW, &alices(), &seal(&states, &alices())).unwrap();
        assert_eq!(opened.until, after(330));
    }
}

/// proves: ST-04
#[test]
fn at_the_end_of_time_a_state_lives_no_longer() {
    for states in of_each_cipher() {
        let last = UnixTime::from_secs(u64::MAX - 1);
        let token = states.seal(&mut SysRng, last, &alices(), 1, b"").unwrap();
        let opened = states.open(last, &alices(), &token).unwrap();
        assert_eq!(opened.until, UnixTime::from_secs(u64::MAX));
    }
}

/// proves: ST-04
#[test]
fn lifetimes_without_sense_are_refused() {
    for states in of_each_cipher() {
        let with = |lifetime, anonymous| states.clone().with_lifetimes(lifetime, anonymous);
        let second = Duration::from_secs(1);
        assert!(with(second, second).is_ok());
        let longest = Duration::from_secs(30 * 24 * 60 * 60);
        assert!(with(longest, longest).is_ok());
        for wrong in [Duration::ZERO, Duration::from_millis(999), longest + second, Duration::MAX] {
            assert!(with(wrong, second).is_err());
            assert!(with(second, wrong).is_err());
        }
    }
}

/// proves: ST-04
#[test]
fn a_lifetime_counts_for_its_class_of_caller() {
    for states in of_each_cipher() {
        // Either may be the longer one.
        for (of_principal, of_nobody) in [(1_800, 900), (900, 1_800), (1, 2_592_000)] {
            let [first, second] = [of_principal, of_nobody].map(Duration::from_secs);
            let states = states.clone().with_lifetimes(first, second).unwrap();
            for (context, secs) in [(alices(), of_principal), (anonymous(), of_nobody)] {
                let token = seal(&states, &context);
                assert!(states.open(after(secs - 1), &context, &token).is_ok());
                assert_eq!(cause(&states, after(secs), &context, &token), OpenCause::Expired);
            }
        }
    }
}
