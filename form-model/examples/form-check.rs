//! Shows the author of a server how clients read a form.
//!
//! ```sh
//! cargo run -p form-model --example form-check -- schema.json   # a report for people
//! cargo run -p form-model --example form-check < cases.jsonl    # a line for each case
//! ```
//!
//! `tests/forms/README.md` describes the cases.

#[path = "../tests/forms/case.rs"]
mod case;

use std::{
    io::{BufRead as _, Write as _},
    process::ExitCode,
};

use case::Case;
use form_model::{Decoded, Decoder, Draft, Kind, Refusal};
use serde_json::{Value, json};

type Failure = Box<dyn core::error::Error>;

fn main() -> ExitCode {
    let done = match std::env::args().nth(1) {
        Some(path) => report(&path),
        None => check_cases(),
    };
    match done {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("form-check: {failure}");
            ExitCode::FAILURE
        }
    }
}

/// Writes a line for each case of the standard input.
fn check_cases() -> Result<ExitCode, Failure> {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let case = Case::parse(&line)?;
        writeln!(out, "{}", verdict(&case)?)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn verdict(case: &Case) -> Result<Value, Failure> {
    Ok(match Decoder::default().decode_bytes(&case.schema()?) {
        Ok(Decoded { form, notes, .. }) => json!({
            "id": case.id(),
            "verdict": if notes.is_empty() { "accept" } else { "accept-with-notes" },
            "notes": notes.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "refused": null,
            "order": form.fields().iter().map(|field| field.name()).collect::<Vec<_>>(),
            "answers": case.answers(Some(&form))?,
            "results": case.results(Some(&form)),
        }),
        Err(Refusal { code, pointer, message, .. }) => json!({
            "id": case.id(),
            "verdict": "refuse",
            "notes": [],
            "refused": {"code": code.as_str(), "pointer": pointer, "message": message},
            "order": [],
            "answers": case.answers(None)?,
            "results": case.results(None),
        }),
    })
}

/// Shows the form of a file as a user interface would, and the notes on it.
fn report(path: &str) -> Result<ExitCode, Failure> {
    let schema = std::fs::read(path)?;
    let Decoded { form, notes, .. } = match Decoder::default().decode_bytes(&schema) {
        Ok(decoded) => decoded,
        Err(refusal) => {
            println!("refused: {refusal}");
            return Ok(ExitCode::FAILURE);
        }
    };
    if let Some(title) = form.title() {
        println!("{title}");
    }
    for line in Draft::new(form.clone()).review() {
        let field = line.field;
        let required = if field.is_required() { ", required" } else { "" };
        println!("{}: [{}]  ({}{required})", field.label(), line.shown, field.kind().name());
        if let Some(description) = field.description() {
            println!("    {description}");
        }
        if let Kind::Choice(form_model::Choice { options, .. })
        | Kind::Choices(form_model::Choices { options, .. }) = field.kind()
        {
            for option in options {
                println!("    ○ {}", option.label());
            }
        }
    }
    println!(
        "\n{}; {}",
        match form.fields().len() {
            1 => "1 field".into(),
            count => format!("{count} fields"),
        },
        match notes.len() {
            0 => "strict clients accept this form too".into(),
            1 => "1 note; a strict client refuses the form because of it:".into(),
            count => format!("{count} notes; a strict client refuses the form because of them:"),
        }
    );
    for note in notes {
        println!("  {note}");
    }
    Ok(ExitCode::SUCCESS)
}
