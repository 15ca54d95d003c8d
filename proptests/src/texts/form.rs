//! Forms as schemas and as data, and answers to them.

use std::sync::LazyLock;

use arbitrary::{Arbitrary as _, Result, Unstructured};
use form_model::{Content, Decoder, Draft, Form, Limits, Value};

/// Reads a schema: strict agrees with usual, and a form is written back as it is.
///
/// # Panics
///
/// If something does not hold.
pub fn schema(bytes: &[u8]) -> bool {
    let usual = Decoder::default().decode_bytes(bytes);
    let strict = Decoder::default().strict().decode_bytes(bytes);
    let Ok(decoded) = usual else {
        assert!(strict.is_err(), "strict takes no more than usual");
        return false;
    };
    assert_eq!(decoded.notes.is_empty(), strict.is_ok(), "strict refuses exactly what is noted");
    let schema = decoded.form.to_schema();
    let again = Form::from_schema(&schema);
    assert!(again.as_ref() == Ok(&decoded.form), "{again:?} of {schema}");
    assert_eq!(again.map(|form| form.to_schema()), Ok(schema));
    true
}

/// Reads a form as data: it is written back and reads as an equal form, and means as a schema what
/// it means as data.
///
/// # Panics
///
/// If something does not hold.
pub fn canonical(text: &str) -> bool {
    let Ok(form) = Form::from_canonical(text, &Limits::default()) else { return false };
    let again = Form::from_canonical(&form.to_canonical(), &Limits::default());
    assert!(again.as_ref() == Ok(&form), "{}", form.to_canonical());
    assert!(Form::from_schema(&form.to_schema()).as_ref() == Ok(&form), "{}", form.to_schema());
    true
}

static FORMS: LazyLock<[Form; 2]> = LazyLock::new(|| {
    [
        r#"{"type":"object","properties":{"t":{"type":"string","minLength":1,"maxLength":5},
            "n":{"type":"number","minimum":-1.5,"exclusiveMaximum":1e300},
            "i":{"type":"integer","maximum":9007199254740993},"f":{"type":"boolean"},
            "c":{"type":"string","enum":["a","\u0000"]},"":{"type":"string"},
            "m":{"type":"array","minItems":1,"maxItems":2,"items":{"enum":["a","b","c"]}}}}"#,
        r#"{"type":"object","properties":{"e":{"type":"string","format":"email"},
            "u":{"type":"string","format":"uri"},"d":{"type":"string","format":"date"},
            "z":{"type":"string","format":"date-time"}}}"#,
    ]
    .map(|schema| Form::from_schema(schema).unwrap())
});

/// Answers a form with a field of every kind, and one with every format: what is accepted goes over
/// the wire and is accepted again as the same answer.
///
/// # Panics
///
/// If something does not hold.
pub fn answer(text: &str) -> bool {
    let Ok(content) = Content::decode(text, &Limits::default()) else { return false };
    let mut is_accepted = false;
    for form in FORMS.iter() {
        let answer = match form.accept(content.clone()) {
            Ok(answer) => answer,
            Err(faults) => {
                assert!(faults.iter().next().is_some() && !faults.to_string().is_empty());
                continue;
            }
        };
        let again = Content::decode(&answer.to_json(), &Limits::default());
        let again = form.accept(again.unwrap());
        assert!(again.as_ref() == Ok(&answer), "{}", answer.to_json());
        is_accepted = true;
    }
    is_accepted
}

/// Edits a draft of a form: it submits exactly when nothing is wrong with it, and what it submits is
/// what it shows. The value tells whether it submits in the end.
///
/// # Errors
///
/// Not enough data.
///
/// # Panics
///
/// If something does not hold.
pub fn edits(u: &mut Unstructured<'_>) -> Result<bool> {
    let form = Form::arbitrary(u)?;
    let mut draft = Draft::new(form.clone());
    while !u.is_empty() && !form.fields().is_empty() {
        let name = u.choose(form.fields())?.name().to_owned();
        let text: String = u.arbitrary()?;
        match u.int_in_range(0..=4)? {
            0 => draft.set_text(&name, &text).unwrap(),
            1 => draft.clear(&name).unwrap(),
            2 => drop(draft.toggle(&name, &text)),
            3 => drop(draft.toggle(&name, "option 0")),
            _ => draft.set(&name, Value::Text(text)).unwrap(),
        }
        submits(&form, &draft);
    }
    Ok(submits(&form, &draft))
}

fn submits(form: &Form, draft: &Draft) -> bool {
    let submitted = draft.submit();
    assert_eq!(submitted.is_err(), draft.errors().next().is_some());
    assert_eq!(draft.review().count(), form.fields().len());
    let Ok(answer) = submitted else { return false };
    for field in form.fields() {
        assert!(answer.value(field.name()) == draft.value(field.name()));
    }
    assert!(form.accept(Content::from(answer.clone())) == Ok(answer));
    true
}
