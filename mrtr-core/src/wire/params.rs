//! The params of a request: its target, its `_meta`, and the members of a retry.

use alloc::{borrow::Cow, string::String};
use core::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use super::{
    Capabilities, Json, Object, RawJson, WireError, Writer, capabilities::DECLARED, error::within,
    object::with_members,
};
use crate::codec::from_word;

/// The `_meta` member that names the protocol version of a request.
pub const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// The `_meta` member that declares the client's capabilities for a request.
pub const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// The `_meta` member that identifies the client software.
pub const META_CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";

const META: &str = "_meta";
pub(super) const ARGUMENTS: &str = "arguments";
const INPUT_RESPONSES: &str = "inputResponses";
pub(super) const REQUEST_STATE: &str = "requestState";

/// The members of params that differ between the legs of one call.
pub(crate) const CHANGING: [&str; 3] = [META, INPUT_RESPONSES, REQUEST_STATE];

/// A revision of the protocol. The order of the variants is the order of the revisions.
///
/// ```
/// use mrtr_core::wire::Revision;
///
/// let revision: Revision = "2025-11-25".parse()?;
/// assert!(revision < Revision::default());
/// assert_eq!(Revision::default().as_str(), "2026-07-28");
/// # Ok::<(), mrtr_core::wire::UnknownRevision>(())
/// ```
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[non_exhaustive]
pub enum Revision {
    /// 2024-11-05
    #[serde(rename = "2024-11-05")]
    V2024_11_05,
    /// 2025-03-26
    #[serde(rename = "2025-03-26")]
    V2025_03_26,
    /// 2025-06-18
    #[serde(rename = "2025-06-18")]
    V2025_06_18,
    /// 2025-11-25
    #[serde(rename = "2025-11-25")]
    V2025_11_25,
    /// 2026-07-28: the first with multi round-trip requests, and the default.
    #[default]
    #[serde(rename = "2026-07-28")]
    V2026_07_28,
}

/// The error of a text that is not a revision of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a revision of the protocol, such as 2026-07-28")]
#[non_exhaustive]
pub struct UnknownRevision;

impl Revision {
    /// Returns the name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => PROTOCOL_VERSION,
        }
    }

    /// Returns whether servers of this revision may answer `input_required`.
    #[must_use]
    pub const fn has_rounds(self) -> bool {
        matches!(self, Self::V2026_07_28)
    }
}

impl FromStr for Revision {
    type Err = UnknownRevision;

    fn from_str(name: &str) -> Result<Self, UnknownRevision> {
        from_word(name).ok_or(UnknownRevision)
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The protocol version in which servers answer `input_required`.
pub const PROTOCOL_VERSION: &str = "2026-07-28";

/// A method that may be answered with `input_required` (mrtr, supported requests).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Method {
    /// `tools/call`
    #[serde(rename = "tools/call")]
    ToolsCall,
    /// `prompts/get`
    #[serde(rename = "prompts/get")]
    PromptsGet,
    /// `resources/read`
    #[serde(rename = "resources/read")]
    ResourcesRead,
}

impl Method {
    /// Returns the method with this name; `None` for a method without rounds.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        from_word(name)
    }

    /// Returns the name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ToolsCall => "tools/call",
            Self::PromptsGet => "prompts/get",
            Self::ResourcesRead => "resources/read",
        }
    }

    /// Returns the name of the parameter that has the target. HTTP repeats its value in the header
    /// `Mcp-Name`.
    #[must_use]
    pub const fn target_parameter(self) -> &'static str {
        match self {
            Self::ToolsCall | Self::PromptsGet => "name",
            Self::ResourcesRead => "uri",
        }
    }
}

/// The name and version of the client software, for display and logs of the server.
///
/// ```
/// use mrtr_core::wire::ClientInfo;
///
/// let info = ClientInfo::new("example-host", "1.4.0").with_title("Example Host");
/// assert_eq!(info.name(), "example-host");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientInfo {
    name: String,
    version: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    title: Option<String>,
}

impl ClientInfo {
    /// Makes client info from a name and a version.
    #[must_use]
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self { name: name.into(), version: version.into(), title: None }
    }

    /// Sets the name that people see.
    #[must_use]
    pub fn with_title(self, title: impl Into<String>) -> Self {
        Self { title: Some(title.into()), ..self }
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the version.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }
}

/// The params of a request.
pub(crate) struct Params<'a> {
    object: Object<'a>,
}

impl<'a> Params<'a> {
    pub(crate) fn decode(json: Json<'a>) -> Result<Self, WireError> {
        Ok(Self { object: Object::decode(json, "params")? })
    }

    /// Returns the target: the name of the tool or prompt, or the URI of the resource.
    pub(crate) fn target(&self, method: Method) -> Result<Cow<'a, str>, WireError> {
        self.object.text(method.target_parameter())
    }

    /// Returns the arguments of the call, if there are any.
    pub(crate) fn arguments(&self) -> Option<Json<'a>> {
        self.object.get(ARGUMENTS)
    }

    /// Returns the name of a member that only a retry has; `None` if there is no such member.
    pub(crate) fn retry_member(&self) -> Option<&'static str> {
        [INPUT_RESPONSES, REQUEST_STATE].into_iter().find(|name| self.object.get(name).is_some())
    }

    /// Returns the responses that a retry brings.
    pub(crate) fn responses(&self) -> Result<Option<Object<'a>>, WireError> {
        let responses = self.object.get(INPUT_RESPONSES);
        responses.map(|json| Object::decode(json, INPUT_RESPONSES)).transpose()
    }

    /// Returns the state that a retry echoes.
    pub(crate) fn state(&self) -> Option<Json<'a>> {
        self.object.get(REQUEST_STATE)
    }

    /// Returns `_meta`; `None` if it is absent.
    pub(crate) fn meta(&self) -> Result<Option<Meta<'a>>, WireError> {
        let meta = self.object.get(META);
        meta.map(|meta| Object::decode(meta, META).map(Meta)).transpose()
    }

    /// Returns the params with another `_meta`.
    pub(crate) fn with_meta(&self, meta: &str) -> RawJson {
        RawJson::composed(Writer::object(|params| {
            params.all(self.object.iter().filter(|(name, _)| *name != META));
            params.json(META, meta);
        }))
    }
}

/// Adds the members of a retry: the responses under their keys, and the unchanged state.
pub(crate) fn with_retry<'r>(
    params: &RawJson,
    responses: impl Iterator<Item = (&'r str, &'r RawJson)>,
    state: Option<Json<'_>>,
) -> RawJson {
    let mut members = Writer::default();
    let mut responses = responses.peekable();
    if responses.peek().is_some() {
        members.nested(INPUT_RESPONSES, |written| {
            written.all(responses.map(|(key, response)| (key, response.as_json())));
        });
    }
    if let Some(state) = state {
        members.json(REQUEST_STATE, state.as_str());
    }
    with_members(params.as_json(), &members.into_members())
}

/// The `_meta` of a request.
pub(crate) struct Meta<'a>(Object<'a>);

impl<'a> Meta<'a> {
    /// Returns the protocol version; `None` if it is absent or is not a string.
    pub(crate) fn version(&self) -> Option<Cow<'a, str>> {
        self.0.get(META_VERSION).and_then(Json::text)
    }

    pub(crate) fn has_version(&self) -> bool {
        self.0.get(META_VERSION).is_some()
    }

    /// Returns the capabilities; `None` if they are absent.
    pub(crate) fn capabilities(&self) -> Option<Result<Capabilities, WireError>> {
        self.0.get(META_CAPABILITIES).map(Capabilities::decode)
    }
}

/// Why the `_meta` of a caller's params cannot be completed.
pub(crate) enum MetaError {
    Wire(WireError),
    /// It declares a capability that the call must claim instead.
    Declares(&'static str),
    /// It names another protocol version.
    OtherVersion,
}

/// Writes the `_meta` of a 2026-07-28 call. It has the caller's members, and the claims among the
/// capabilities. The version and the client's info are added if they are absent.
pub(crate) fn complete_meta(
    params: &Params<'_>,
    claims: Capabilities,
    info: Option<&ClientInfo>,
) -> Result<String, MetaError> {
    let meta = params.meta().map_err(MetaError::Wire)?;
    let meta = meta.unwrap_or_else(|| Meta(Object::default()));
    let declared = match meta.0.get(META_CAPABILITIES) {
        Some(it) => Object::decode(it, "clientCapabilities").map_err(MetaError::Wire)?,
        None => Object::default(),
    };
    if let Some(name) = DECLARED.into_iter().find(|name| declared.get(name).is_some()) {
        return Err(MetaError::Declares(name));
    }
    if meta.has_version() && meta.version().as_deref() != Some(PROTOCOL_VERSION) {
        return Err(MetaError::OtherVersion);
    }
    Ok(Writer::object(|written| {
        written.all(meta.0.iter().filter(|(name, _)| *name != META_CAPABILITIES));
        if !meta.has_version() {
            written.text(META_VERSION, PROTOCOL_VERSION);
        }
        if let Some(info) = info.filter(|_| meta.0.get(META_CLIENT_INFO).is_none()) {
            // Serialising text to memory cannot fail.
            written.json(META_CLIENT_INFO, &serde_json::to_string(info).unwrap_or_default());
        }
        written.nested(META_CAPABILITIES, |capabilities| {
            capabilities.all(declared.iter());
            claims.write(capabilities);
        });
    }))
}

/// Checks the length of a state against its limit.
pub(crate) fn check_state(bytes: usize, bytes_max: usize) -> Result<(), WireError> {
    within(bytes, "requestState in bytes", bytes_max)
}
