//! The codec of frames, records and questions.

use alloc::string::String;

use serde::{Deserialize, Deserializer, Serialize, Serializer, ser::Error as _};
use serde_json::value::RawValue;

use crate::{
    codec::Strict,
    wire::{Json, RawJson, WireError, on_one_line},
};

/// Decodes an object. `wrong` is the error for every value that is not exactly a `T`.
pub(super) fn decode<'a, T: Deserialize<'a>>(
    json: Json<'a>,
    wrong: WireError,
) -> Result<T, WireError> {
    serde_json::from_str::<Strict<T>>(json.as_str()).map(|strict| strict.0).map_err(|_| wrong)
}

/// Writes a value as one line of JSON.
pub(super) fn line(value: &impl Serialize) -> String {
    // Serialising text and numbers to memory cannot fail.
    on_one_line(serde_json::to_string(value).unwrap_or_default())
}

/// JSON text that is passed on unchanged. `RawJson` itself does not implement `Serialize`.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Carried(#[serde(with = "carried")] pub(super) RawJson);

/// Reads and writes JSON text that is passed on unchanged.
pub(super) mod carried {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(json: &RawJson, to: S) -> Result<S::Ok, S::Error> {
        // The text was checked, so this does not fail.
        let raw: &RawValue = serde_json::from_str(json.as_str()).map_err(S::Error::custom)?;
        raw.serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<RawJson, D::Error> {
        <&RawValue>::deserialize(from).map(|raw| Json::composed(raw.get()).into())
    }
}
