//! Bytes of a form and of edits: a draft submits exactly when nothing is wrong with it, and what it
//! submits is what it shows.
#![no_main]

use arbitrary::{Arbitrary as _, Unstructured};
use form_model::{Content, Draft, Form, Value};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = edit(&mut Unstructured::new(bytes));
});

fn edit(u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    let form = Form::arbitrary(u)?;
    let mut draft = Draft::new(form.clone());
    while !u.is_empty() && !form.fields().is_empty() {
        let name = u.choose(form.fields())?.name().to_owned();
        let text: String = u.arbitrary()?;
        match u.int_in_range(0..=4)? {
            0 => draft.set_text(&name, &text).expect("the field is there"),
            1 => draft.clear(&name).expect("the field is there"),
            2 => drop(draft.toggle(&name, &text)),
            3 => drop(draft.toggle(&name, "option 0")),
            _ => draft.set(&name, Value::Text(text)).expect("the field is there"),
        }
        check(&form, &draft);
    }
    check(&form, &draft);
    Ok(())
}

fn check(form: &Form, draft: &Draft) {
    let submitted = draft.submit();
    assert_eq!(submitted.is_err(), draft.faults().next().is_some());
    assert_eq!(draft.review().count(), form.fields().len());
    let Ok(answer) = submitted else { return };
    for field in form.fields() {
        assert!(answer.value(field.name()) == draft.value(field.name()));
    }
    assert!(form.accept(Content::from(answer.clone())) == Ok(answer));
}
