//! Content that does not fit its form, and content at the bounds of its form.

use super::{
    CheckResult, CheckSpec, cases::each, fixture::Fixture, honest::same_content, info, should,
    target::Target,
};

/// Elicitation, form mode security 3.
const FITS: &str =
    "elicitation, form mode security 3: servers validate that data matches the schema";
const DIALECT: &str =
    "elicitation, form mode security 3: servers validate that data matches the schema";

pub(super) const SPECS: &[CheckSpec] = &[
    should("content-type", FITS, "Fields of the form get values of other types.", |target| {
        unfit(
            target,
            &[
                r#"{"environment":7,"confirm":true}"#,
                r#"{"environment":true,"confirm":true}"#,
                r#"{"environment":["staging"],"confirm":true}"#,
                r#"{"environment":"staging","confirm":"true"}"#,
                r#"{"environment":"staging","confirm":1}"#,
                r#"{"environment":"staging","confirm":[]}"#,
            ],
        )
    }),
    should(
        "content-option",
        FITS,
        "The choice is not an option, or an option in another spelling.",
        |target| {
            unfit(
                target,
                &[
                    r#"{"environment":"nowhere","confirm":true}"#,
                    r#"{"environment":"Staging","confirm":true}"#,
                    r#"{"environment":"staging ","confirm":true}"#,
                    r#"{"environment":"","confirm":true}"#,
                ],
            )
        },
    ),
    should(
        "content-required",
        FITS,
        "One required field is missing, then the other, then both.",
        |target| unfit(target, &[r#"{"environment":"staging"}"#, r#"{"confirm":true}"#, "{}"]),
    ),
    should("content-null", FITS, "A field is null, and the content is.", |target| {
        unfit(
            target,
            &[
                r#"{"environment":null,"confirm":true}"#,
                r#"{"environment":"staging","confirm":null}"#,
                "null",
            ],
        )
    }),
    should("content-nested", FITS, "A field holds an object.", |target| {
        unfit(
            target,
            &[r#"{"environment":{"a":1},"confirm":true}"#, r#"{"environment":{},"confirm":true}"#],
        )
    }),
    should("content-not-an-object", FITS, "The content is a number, a text, an array.", |target| {
        unfit(target, &["7", r#""staging""#, "[]", r#"["staging",true]"#])
    }),
    should("content-too-long", FITS, "A choice of a megabyte.", |target| {
        let long = format!(r#"{{"environment":"{}","confirm":true}}"#, "x".repeat(1 << 20));
        unfit(target, &[&long])
    }),
    should("content-other-forms", FITS, "Other forms get a value of another type.", |target| {
        target.needs(Fixture::Several)?;
        let several = r#"{"a":{"action":"accept","content":{"value":7}},"b":{"action":"accept","content":{"value":"two"}}}"#;
        let who = r#"{"who":{"action":"accept","content":{"name":["alice"]}}}"#;
        let first = r#"{"first":{"action":"accept","content":{"name":7}}}"#;
        let cases = [
            (Fixture::Several, several),
            (Fixture::Prompt, who),
            (Fixture::Resource, who),
            (Fixture::TwoRounds, first),
        ];
        each(cases.map(|case| (case.0.name(), case)), |(fixture, answers)| {
            target.needs(fixture)?;
            target.play(fixture, answers)?.refused_or_asked_again(fixture.keys())
        })
    }),
    should(
        "content-second-round",
        FITS,
        "The form of the second round gets no integer.",
        |target| {
            target.needs(Fixture::TwoRounds)?;
            each(["2.5", r#""3""#, "true", "null", "[3]"].map(|value| (value, value)), |value| {
                let state = target.second_state("alice")?;
                let answers =
                    format!(r#"{{"second":{{"action":"accept","content":{{"count":{value}}}}}}}"#);
                let call = Fixture::TwoRounds.call().answers(answers).state(Some(&state));
                let seen = target.send(&call);
                seen.refused_or_asked_again(&["second"])
                    .or_else(|_| seen.refused_or_asked_again(Fixture::TwoRounds.keys()))
            })
        },
    ),
    should(
        "spelling-text",
        DIALECT,
        "A text that is too short or too long, and values that are not texts.",
        |target| unfit_field(target, "text", &[r#""""#, r#""12345678901""#, "7", "null"]),
    ),
    should(
        "spelling-numbers",
        DIALECT,
        "Numbers out of their bounds, fractions for an integer, and texts.",
        |target| {
            each(
                [
                    ("number", "1.5"),
                    ("number", "-0.1"),
                    ("number", r#""0.5""#),
                    ("integer", "0"),
                    ("integer", "6"),
                    ("integer", "2.5"),
                    ("integer", r#""3""#),
                    ("integer", "true"),
                ]
                .map(|case| (format!("{} {}", case.0, case.1), case)),
                |(field, value)| unfit_field(target, field, &[value]).map(|_| "held".into()),
            )
        },
    ),
    should("spelling-flag", DIALECT, "A truth value that is a text or a number.", |target| {
        unfit_field(target, "flag", &[r#""true""#, r#""false""#, "0", "null"])
    }),
    should(
        "spelling-choices",
        DIALECT,
        "No option, or the title of one instead of its value, in each way to write a choice.",
        |target| {
            each(
                [
                    ("choice", r#""c""#),
                    ("choice", r#"["a"]"#),
                    ("titled", r#""A""#),
                    ("titled", r#""c""#),
                    ("legacy", r#""A""#),
                    ("legacy", r#""c""#),
                    ("choices", r#"["c"]"#),
                    ("choices", r#"["a","c"]"#),
                    ("choices", r#""a""#),
                    ("choices", "[1]"),
                    ("titled_choices", r#"["A"]"#),
                    ("titled_choices", r#"["c"]"#),
                    ("titled_choices", r#"{"0":"a"}"#),
                ]
                .map(|case| (format!("{} {}", case.0, case.1), case)),
                |(field, value)| unfit_field(target, field, &[value]).map(|_| "held".into()),
            )
        },
    ),
    should(
        "spelling-bounds",
        DIALECT,
        "Values at their bounds, fields left out, and a length in characters.",
        |target| {
            target.needs(Fixture::Spellings)?;
            let emoji = format!(r#"{{"text":"{}"}}"#, "😀".repeat(10));
            let contents = [
                "{}",
                r#"{"text":"a"}"#,
                r#"{"text":"1234567890"}"#,
                &emoji,
                r#"{"number":0}"#,
                r#"{"number":1}"#,
                r#"{"integer":1}"#,
                r#"{"integer":5}"#,
                r#"{"integer":3.0}"#,
                r#"{"flag":true}"#,
                r#"{"titled":"a"}"#,
                r#"{"legacy":"b"}"#,
                r#"{"choices":[]}"#,
                r#"{"titled_choices":["b","a"]}"#,
            ];
            each(contents.map(|content| (content, content)), |content| {
                let answers = format!(r#"{{"all":{{"action":"accept","content":{content}}}}}"#);
                same_content(&target.play(Fixture::Spellings, &answers)?, content)
            })
        },
    ),
    info(
        "content-extra",
        "elicitation, form mode security; mrtr, error handling",
        "A property that the form does not have.",
        |target| {
            target.needs(Fixture::Form)?;
            let content = r#"{"environment":"staging","confirm":true,"admin":true}"#;
            let answers = format!(r#"{{"target":{{"action":"accept","content":{content}}}}}"#);
            Ok(target.play(Fixture::Form, &answers)?.word())
        },
    ),
    info(
        "content-twice",
        "JSON Schema: items are only distinct with uniqueItems",
        "The same option twice in a choice of several.",
        |target| {
            target.needs(Fixture::Spellings)?;
            let answers = r#"{"all":{"action":"accept","content":{"choices":["a","a"]}}}"#;
            Ok(target.play(Fixture::Spellings, answers)?.word())
        },
    ),
    info(
        "content-left-out",
        "schema, ElicitResult: content is optional",
        "A form without required fields is accepted without content.",
        |target| {
            target.needs(Fixture::Spellings)?;
            Ok(target.play(Fixture::Spellings, r#"{"all":{"action":"accept"}}"#)?.word())
        },
    ),
];

/// Expects the form to refuse each of these contents.
fn unfit(target: &Target, contents: &[&str]) -> CheckResult {
    target.needs(Fixture::Form)?;
    let name = |content: &&str| content.chars().take(60).collect::<String>();
    each(contents.iter().map(|content| (name(content), *content)), |content| {
        let answers = format!(r#"{{"target":{{"action":"accept","content":{content}}}}}"#);
        target.play(Fixture::Form, &answers)?.refused_or_asked_again(Fixture::Form.keys())
    })
}

/// Expects a field of `spellings` to refuse each of these values.
fn unfit_field(target: &Target, field: &str, values: &[&str]) -> CheckResult {
    target.needs(Fixture::Spellings)?;
    each(values.iter().map(|value| (format!("{field} {value}"), *value)), |value| {
        let content = format!(r#"{{"{field}":{value}}}"#);
        let answers = format!(r#"{{"all":{{"action":"accept","content":{content}}}}}"#);
        target.play(Fixture::Spellings, &answers)?.refused_or_asked_again(Fixture::Spellings.keys())
    })
}
