//! Sound documents of each kind, without a space between two tokens.

use std::sync::LazyLock;

/// The frames that the documentation shows, and questions.
pub(super) static FRAMES: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let document = include_str!("../../../docs/frames.md");
    document.lines().filter(|line| line.starts_with('{')).chain(QUESTIONS).collect()
});

const QUESTIONS: [&str; 2] = [
    r#"{"form":{"version":1,"title":"T","fields":[{"name":"n","kind":{"integer":{"minimum":{"value":1,"exclusive":true},"maximum":{"value":9}}}},{"name":"c","title":"C","kind":{"choice":{"options":[{"value":"a","title":"A"},{"value":"b"}],"default":"a"}}},{"name":"t","description":"D","required":true,"kind":{"text":{"format":"email"}}},{"name":"m","kind":{"choices":{"options":[{"value":"a"}],"itemsMin":0,"itemsMax":1,"default":["a"]}}}]},"message":"m","requester":{"provider":"p","server":"s","tool":"t"}}"#,
    r#"{"url":"https://user@xn--bcher-kva.example:1/a?b#c","message":"m","requester":{"provider":"p","server":"s","tool":"t"}}"#,
];

pub(super) const RECORDS: [&str; 4] = [
    r#"{"version":1,"interaction":"7.12.1","record":{"requested":{"invocation":"7.12","session":"s","turn":"t","toolCall":"c","registration":"r","connection":3,"request":{"form":{"version":1,"fields":[{"name":"ok","required":true,"kind":{"flag":{"default":true}}}]},"message":"m","requester":{"provider":"p","server":"s","tool":"t"}}}}}"#,
    r#"{"version":1,"interaction":"7.12.2","record":{"requested":{"invocation":"7.12","session":"s","turn":"t","toolCall":"c","registration":"r","connection":3,"request":{"url":"https://a.example/x","message":"m","requester":{"provider":"p","server":"s","tool":"t"}}}}}"#,
    r#"{"version":1,"interaction":"7.12.1","record":{"answered":{"result":{"action":"accept","content":{"ok":true}}}}}"#,
    r#"{"version":1,"interaction":"7.12.1","record":{"closed":{"why":"host_restarted"}}}"#,
];

pub(super) const RESULTS: [&str; 7] = [
    r#"{"content":[{"type":"text","text":"done"}]}"#,
    r#"{"resultType":"input_required","requestState":"s"}"#,
    r#"{"resultType":"input_required","requestState":"\ud800","inputRequests":{"f":{"method":"elicitation/create","params":{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string","minLength":1,"format":"email"},"n":{"type":"integer","minimum":1,"maximum":5,"default":3}},"required":["a"]}}}}}"#,
    r#"{"resultType":"input_required","inputRequests":{"u":{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"https://a.example/x","elicitationId":"e"}},"r":{"method":"roots/list"}}}"#,
    r#"{"resultType":"input_required","inputRequests":{"s":{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"hi"}}],"maxTokens":100,"systemPrompt":"p","temperature":0.5,"stopSequences":["x"],"modelPreferences":{},"metadata":{},"includeContext":"thisServer","tools":[],"toolChoice":{"mode":"none"}}}}}"#,
    r#"{"resultType":"input_required","inputRequests":{"c":{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{"c":{"type":"string","oneOf":[{"const":"a","title":"A"}]},"m":{"type":"array","items":{"enum":["a","b"]},"maxItems":1},"l":{"type":"string","enum":["x"],"enumNames":["X"]},"b":{"type":"boolean"}}}}},"d":{"method":"roots/list","params":{"_meta":{}}}}}"#,
    r#"{"resultType":"complete","structuredContent":null}"#,
];

pub(super) const RESPONSES: &str = r#"{"form":{"action":"accept","content":{"t":"SENTINEL","n":1.5,"f":true,"m":["a"]}},"url":{"action":"accept"},"model":{"role":"assistant","content":{"type":"text","text":"SENTINEL"},"model":"m","stopReason":"endTurn"},"roots":{"roots":[{"uri":"file:///SENTINEL","name":"A"}]}}"#;

/// What a trace starts with, without the time.
pub(super) const STARTS: [&str; 4] = [
    r#""start":{"version":1,"id":"c","method":"tools/call","params":{"name":"t","arguments":{"a":"SENTINEL"}},"clientInfo":{"name":"n","version":"1","title":"T"},"paramHeaders":[{"path":["a"],"name":"A"}],"claims":{"form":true,"url":true,"samplingTools":true,"samplingContext":true,"roots":true}}"#,
    r#""start":{"version":1,"id":"c","method":"resources/read","params":{"uri":"file:///a"},"binding":"s","extensionTypes":["task"],"claims":{"form":true},"limits":{"roundsMax":2,"requestsMax":2,"stateBytesMax":9,"clocks":{"leg":1000,"legMax":2500,"interaction":60000,"execution":9000,"pauseMin":10,"pauseMax":20},"form":{"fieldsMax":1}}}"#,
    r#""start":{"version":1,"id":"c","method":"prompts/get","params":{"name":"p"},"claims":{"retries":true}}"#,
    r#""start":{"version":1,"id":"c","method":"tools/call","params":{"name":"t"},"revision":"2025-11-25"}"#,
];

/// What happens in a trace, without the time. `@` is a leg.
pub(super) const EVENTS: [&str; 24] = [
    r#""event":{"reply":{"leg":"@","result":{"resultType":"input_required","requestState":"SENTINEL"}}}"#,
    r#""event":{"reply":{"leg":"@","result":{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{"f":{"type":"boolean"}},"required":["f"]}}}},"requestState":"SENTINEL"}}}"#,
    r#""event":{"reply":{"leg":"@","result":{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"https://a.example/x"}},"m":{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":9}},"r":{"method":"roots/list"}}}}}"#,
    r#""event":{"reply":{"leg":"@","result":{"resultType":"complete","content":["SENTINEL"]}}}"#,
    r#""event":{"reply":{"leg":"@","result":{"resultType":"task"}}}"#,
    r#""event":{"reply":{"leg":"@","error":{"code":-32602,"message":"SENTINEL","data":"SENTINEL"}}}"#,
    r#""event":{"reply":{"leg":"@","unreadable":"notJson"}}"#,
    r#""event":{"reply":{"leg":"@","unreadable":{"tooLarge":{"what":"a response in bytes","max":1}}}}"#,
    r#""event":{"reply":{"leg":"@","message":"{\"jsonrpc\":\"2.0\",\"id\":\"@\",\"result\":{}}"}}"#,
    r#""event":{"answer":{"round":1,"key":"k","response":{"accept":{"f":true}}}}"#,
    r#""event":{"answer":{"round":2,"key":"k","response":{"accept":{"f":true}}}}"#,
    r#""event":{"answer":{"round":1,"key":"k","response":{"accept":{"f":"SENTINEL"}}}}"#,
    r#""event":{"answer":{"round":1,"key":"k","response":"consent"}}"#,
    r#""event":{"answer":{"round":1,"key":"k","response":"decline"}}"#,
    r#""event":{"answer":{"round":2,"key":"k","response":"cancel"}}"#,
    r#""event":{"answer":{"round":1,"key":"m","response":{"sampled":{"role":"assistant","model":"m1","content":{"type":"text","text":"SENTINEL"}}}}}"#,
    r#""event":{"answer":{"round":1,"key":"r","response":{"roots":{"roots":[{"uri":"file:///SENTINEL"}]}}}}"#,
    r#""event":{"failed":{"round":1,"key":"m"}}"#,
    r#""event":{"progress":{"leg":"@"}}"#,
    r#""event":{"bindingChanged":"s"}"#,
    r#""event":{"bindingChanged":"other"}"#,
    r#""event":"connectionLost""#,
    r#""event":"stop""#,
    r#""event":"tick""#,
];
