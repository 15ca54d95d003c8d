//! 128 bits of a world, by which it is known again.

use core::hash::{Hash, Hasher};

use siphasher::sip128::{Hasher128 as _, SipHasher13};

/// Digests all that equality compares. The key is fixed, so that every run is the same. Of ten
/// million worlds, two share a digest with a probability of 10^-25.
pub(super) fn digest(world: &impl Hash) -> u128 {
    let mut hasher = SipHasher13::new_with_keys(0, 0);
    world.hash(&mut hasher);
    hasher.finish128().as_u128()
}

/// Takes the low half of a digest for the hash of it: a digest is spread evenly as it is.
#[derive(Default)]
pub(super) struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u128(&mut self, digest: u128) {
        self.0 = u64::try_from(digest & u128::from(u64::MAX)).unwrap_or_default();
    }
}
