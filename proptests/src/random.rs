//! Numbers and bytes of chance that are the same in every run.

use core::convert::Infallible;

/// Gives one byte after another.
pub trait Bytes {
    /// Gives the next.
    fn next_byte(&mut self) -> u8;
}

/// Gives bytes that count up, so that tokens come out the same each time.
#[derive(Clone, Debug, Default)]
pub struct Count(u8);

impl Bytes for Count {
    fn next_byte(&mut self) -> u8 {
        let byte = self.0;
        self.0 = byte.wrapping_add(1);
        byte
    }
}

/// Gives bytes in no order that shows, and never the same for long.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// Makes dice: those of one seed fall alike, and those of 0 do not fall.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Makes the dice that one of many lives is drawn with.
    #[must_use]
    pub const fn of_life(life: u64) -> Self {
        Self(0x9e37_79b9_7f4a_7c15 ^ (life + 1).wrapping_mul(0xd134_2543_de82_ef95))
    }
}

impl Bytes for Dice {
    fn next_byte(&mut self) -> u8 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 24) as u8
    }
}

/// What seals states at random, from bytes that are given.
#[derive(Clone, Debug, Default)]
pub struct Random<B>(pub B);

impl<B: Bytes> rand_core::TryRng for Random<B> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let mut bytes = [0; 4];
        self.try_fill_bytes(&mut bytes).map(|()| u32::from_le_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut bytes = [0; 8];
        self.try_fill_bytes(&mut bytes).map(|()| u64::from_le_bytes(bytes))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        bytes.fill_with(|| self.0.next_byte());
        Ok(())
    }
}

impl<B: Bytes> rand_core::TryCryptoRng for Random<B> {}
