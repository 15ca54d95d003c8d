//! Where random numbers are drawn.

use core::{
    error::Error,
    fmt::{self, Display, Formatter},
};

use getrandom::{
    SysRng,
    rand_core::{TryCryptoRng, TryRng},
};
use mrtr_core::seal::{SealError, TOKEN_BYTES_MAX};

use crate::play::{Counting, NOW, alices, of_each_cipher};

/// proves: ST-07
#[test]
fn a_seal_draws_once_and_nothing_else_draws() {
    for states in of_each_cipher() {
        let mut rng = Counting::default();
        let token = states.seal(&mut rng, NOW, &alices(), 1, b"").unwrap();
        assert_eq!(rng.asked, [40], "16 bytes of id and 24 of salt");
        let opened = states.open(NOW, &alices(), &token).unwrap();
        let id: Vec<u8> = (0..16).collect();
        assert_eq!(opened.id.as_bytes().as_slice(), id);

        let mut rng = Counting::default();
        let long = vec![0; TOKEN_BYTES_MAX];
        assert!(states.seal(&mut rng, NOW, &alices(), 1, &long).is_err());
        assert!(rng.asked.is_empty());
    }
}

/// proves: ST-07
#[test]
fn the_generator_of_the_system_works_as_it_is_and_behind_a_pointer() {
    for states in of_each_cipher() {
        assert!(states.seal(&mut SysRng, NOW, &alices(), 1, b"").is_ok());
        let dynamic: &mut dyn TryCryptoRng<Error = getrandom::Error> = &mut SysRng;
        assert!(states.seal(dynamic, NOW, &alices(), 1, b"").is_ok());
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Dry;

impl Display for Dry {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("the pool is dry")
    }
}

impl Error for Dry {}

/// A generator that has nothing to give.
struct Empty;

impl TryRng for Empty {
    type Error = Dry;

    fn try_next_u32(&mut self) -> Result<u32, Dry> {
        Err(Dry)
    }

    fn try_next_u64(&mut self) -> Result<u64, Dry> {
        Err(Dry)
    }

    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Dry> {
        Err(Dry)
    }
}

impl TryCryptoRng for Empty {}

/// proves: ST-07
#[test]
fn a_generator_that_fails_seals_nothing_and_its_error_says_why_once() {
    for states in of_each_cipher() {
        let error = states.seal(&mut Empty, NOW, &alices(), 1, b"").unwrap_err();
        assert!(matches!(error, SealError::Generator(_)));
        assert_eq!(error.to_string(), "the generator of random numbers failed");
        let source = error.source().unwrap();
        assert_eq!(source.to_string(), "the pool is dry");
        assert!(source.source().is_none());
        assert_eq!(error, error.clone());
        assert_ne!(error, states.seal(&mut Empty, NOW, &alices(), 1, b"").unwrap_err());
    }
}
