//! Tokens that are too long, that were changed, and texts that are no tokens.

use getrandom::SysRng;
use mrtr_core::seal::{OpenCause, SealError, TOKEN_BYTES_MAX};

use crate::play::{NOW, alices, anonymous, cause, of_each_cipher, seal};

/// proves: ST-05
#[test]
fn the_longest_token_opens_and_no_longer_one_is_made() {
    for states in of_each_cipher() {
        let sealed = |bytes: usize| states.seal(&mut SysRng, NOW, &alices(), 1, &vec![b'x'; bytes]);
        // Four characters hold three bytes.
        let around = sealed(0).unwrap().len() * 3 / 4;
        let longest = TOKEN_BYTES_MAX / 4 * 3 - around;
        let token = sealed(longest).unwrap();
        assert_eq!(token.len(), TOKEN_BYTES_MAX);
        assert!(states.open(NOW, &alices(), &token).is_ok());
        for longer in [longest + 1, 2 * longest] {
            assert_eq!(sealed(longer), Err(SealError::TooLarge));
        }
        let longer = format!("{token}A");
        assert_eq!(cause(&states, NOW, &alices(), &longer), OpenCause::TooLong);
    }
}

/// proves: ST-05
#[test]
fn a_token_over_the_limit_is_refused_before_it_is_decoded_and_never_made() {
    for states in of_each_cipher() {
        let long = "A".repeat(TOKEN_BYTES_MAX + 1);
        assert_eq!(cause(&states, NOW, &alices(), &long), OpenCause::TooLong);
        let no_base64 = "!".repeat(TOKEN_BYTES_MAX + 1);
        assert_eq!(cause(&states, NOW, &alices(), &no_base64), OpenCause::TooLong);
        let seal = |bytes| states.seal(&mut SysRng, NOW, &alices(), 1, &vec![0; bytes]);
        assert_eq!(seal(TOKEN_BYTES_MAX), Err(SealError::TooLarge));
        assert!(seal(47 * 1024).is_ok());
    }
}

/// proves: ST-05
#[test]
fn a_principal_counts_for_the_size_of_a_token() {
    for states in of_each_cipher() {
        for (letters, fits) in [(40_000, true), (50_000, false), (65_535, false), (65_536, false)] {
            let name = "n".repeat(letters);
            let context = anonymous().with_principal(&*name);
            let sealed = states.seal(&mut SysRng, NOW, &context, 1, b"");
            assert_eq!(sealed.is_ok(), fits, "{letters}");
        }
    }
}

/// proves: ST-06
#[test]
fn a_change_of_any_character_is_noticed() {
    for states in of_each_cipher() {
        let token = seal(&states, &alices());
        for index in 0..token.len() {
            for other in ['A', 'B', '_', '=', '!', 'é'] {
                let (start, rest) = token.split_at(index);
                let mut rest = rest.chars();
                if rest.next() == Some(other) {
                    continue;
                }
                let changed = format!("{start}{other}{}", rest.as_str());
                assert!(states.open(NOW, &alices(), &changed).is_err(), "{index} {other}");
            }
            let (cut, _) = token.split_at(index);
            assert!(states.open(NOW, &alices(), cut).is_err(), "cut at {index}");
        }
        for longer in [format!("{token}A"), format!("{token}="), format!(" {token}")] {
            assert!(states.open(NOW, &alices(), &longer).is_err());
        }
    }
}

/// proves: ST-06
#[test]
fn what_is_no_token_is_refused() {
    for states in of_each_cipher() {
        for wrong in ["", "A", "AQ", "AgEC", "not base64!", "AAAA"] {
            assert_eq!(cause(&states, NOW, &alices(), wrong), OpenCause::Malformed, "{wrong}");
        }
    }
}

/// proves: ST-10
#[test]
fn a_token_of_version_1_is_malformed() {
    let old = "AQICazEAAAAAa0nSAAAAAABrSdI8AAAABwABAgMEBQYHCAkKCwwNDg8p6Klo5sKUXcXiEcLW1jy790eJ6O6ihHAI0uYsVcVnoQDZUUNCPe9k9lGq73_7o27pSgtHw7b36-6H7e4w58EDAg";
    for states in of_each_cipher() {
        assert_eq!(cause(&states, NOW, &anonymous(), old), OpenCause::Malformed);
    }
}
