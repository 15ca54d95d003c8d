//! Schemas and answers to measure with.

/// A schema with six fields, one of each kind, of about 800 bytes.
pub const SIX: &str = r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{
"name":{"type":"string","title":"Full name","description":"As on the invoice","minLength":1,"maxLength":80},
"email":{"type":"string","title":"E-mail","format":"email"},
"replicas":{"type":"integer","title":"Replicas","minimum":1,"maximum":99,"default":2},
"ratio":{"type":"number","title":"Traffic","description":"Share of the traffic","minimum":0,"maximum":1},
"environment":{"type":"string","title":"Environment","oneOf":[{"const":"staging","title":"Staging"},
{"const":"production","title":"Production"},{"const":"canary","title":"Canary"}],"default":"staging"},
"regions":{"type":"array","title":"Regions","minItems":1,"maxItems":3,"items":{"type":"string",
"enum":["eu-west","eu-north","us-east","us-west"]}}},"required":["name","email","environment","regions"]}"#;

/// An answer to [`SIX`].
pub const SIX_ANSWER: &str = r#"{"name":"Monalisa Octocat","email":"octocat@github.com","replicas":3,"ratio":0.25,"environment":"canary","regions":["eu-west","us-east"]}"#;

/// Makes a schema of so many fields.
#[must_use]
pub fn schema(fields: usize) -> String {
    let field = |index: usize| match index % 4 {
        0 => format!(
            r#""text_{index}":{{"type":"string","title":"Text {index}","description":"Says what it is","maxLength":200}}"#
        ),
        1 => format!(
            r#""count_{index}":{{"type":"integer","title":"Count {index}","minimum":0,"maximum":1000000}}"#
        ),
        2 => format!(
            r#""choice_{index}":{{"type":"string","title":"Choice {index}","enum":["alpha","beta","gamma","delta"],"default":"beta"}}"#
        ),
        _ => {
            format!(r#""flag_{index}":{{"type":"boolean","title":"Flag {index}","default":true}}"#)
        }
    };
    let fields: Vec<_> = (0..fields).map(field).collect();
    format!(r#"{{"type":"object","properties":{{{}}},"required":["text_0"]}}"#, fields.join(","))
}

/// Makes an answer to [`schema`].
#[must_use]
pub fn answer(fields: usize) -> String {
    let value = |index: usize| match index % 4 {
        0 => format!(r#""text_{index}":"some text for {index}""#),
        1 => format!(r#""count_{index}":{index}"#),
        2 => format!(r#""choice_{index}":"gamma""#),
        _ => format!(r#""flag_{index}":false"#),
    };
    let values: Vec<_> = (0..fields).map(value).collect();
    format!("{{{}}}", values.join(","))
}
