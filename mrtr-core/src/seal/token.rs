//! The bytes of a token around its claims.

use alloc::{string::String, vec::Vec};

use base64ct::{Base64UrlUnpadded, Encoding as _};

use super::message_key::SALT_BYTES;

/// The most characters of a token. Longer tokens are refused, both when sealing and when opening.
pub const TOKEN_BYTES_MAX: usize = 64 * 1024;

/// The most bytes of a token before base64url: four characters hold three bytes.
pub(super) const RAW_BYTES_MAX: usize = TOKEN_BYTES_MAX / 4 * 3;

const VERSION: u8 = 2;

/// The parts of a token.
pub(super) struct Token<'t> {
    pub(super) mode: u8,
    pub(super) key_id: &'t [u8],
    /// The bytes of the version, the mode and the key id.
    pub(super) header: &'t [u8],
    pub(super) salt: [u8; SALT_BYTES],
    pub(super) sealed: &'t [u8],
}

impl<'t> Token<'t> {
    /// Reads the bytes of a token; `None` if they are not a token of this version.
    pub(super) fn read(bytes: &'t [u8]) -> Option<Self> {
        let [VERSION, mode, id_len, rest @ ..] = bytes else { return None };
        let (key_id, rest) = rest.split_at_checked(usize::from(*id_len))?;
        let (salt, sealed) = rest.split_first_chunk()?;
        let header = bytes.get(..3 + key_id.len())?;
        Some(Self { mode: *mode, key_id, header, salt: *salt, sealed })
    }
}

/// Writes the beginning of a token. A key id is at most 64 bytes.
pub(super) fn header(mode: u8, key_id: &str) -> Vec<u8> {
    let id_len = u8::try_from(key_id.len()).unwrap_or(u8::MAX);
    [&[VERSION, mode, id_len], key_id.as_bytes()].concat()
}

/// Writes a token; `None` if it would be too long.
pub(super) fn encode(header: &[u8], salt: &[u8; SALT_BYTES], sealed: &[u8]) -> Option<String> {
    let bytes = [header, salt, sealed].concat();
    (bytes.len() <= RAW_BYTES_MAX).then(|| Base64UrlUnpadded::encode_string(&bytes))
}

/// Reads the characters of a token, which has one spelling; `None` if this is not one.
pub(super) fn decode(token: &str) -> Option<Vec<u8>> {
    Base64UrlUnpadded::decode_vec(token).ok()
}
