//! A person at a terminal.

use core::{fmt, future::Future, pin::Pin};

use form_model::{ChoiceOption, Draft, EditError, Field, Kind, Submission, Value};
use inquire::{
    Confirm, InquireError, MultiSelect, Select, Text,
    validator::{ErrorMessage, Validation},
};
use mrtr_core::{
    client::Event,
    wire::{Elicitation, FormRequest, InputRequest, InputResponse, UrlRequest},
};
use smol::{lock::Mutex, unblock};

use super::{GaveUp, Surface, WARNING, not_claimed};

/// A surface for a person at the terminal that the program runs in.
pub struct Terminal {
    /// Who asks, as far as the program knows: the server and the tool.
    requester: String,
    /// There is one screen and one keyboard, so there is one question at a time.
    screen: Mutex<()>,
}

impl Terminal {
    /// Makes a terminal that names who asks.
    #[must_use]
    pub fn new(requester: String) -> Self {
        Self { requester, screen: Mutex::new(()) }
    }
}

impl Surface for Terminal {
    fn ask(
        &self,
        round: u32,
        key: String,
        request: InputRequest,
    ) -> Pin<Box<dyn Future<Output = Result<Event, GaveUp>> + '_>> {
        let requester = self.requester.clone();
        Box::pin(async move {
            let _screen = self.screen.lock().await;
            // A prompt blocks until a key is pressed, so it has a thread of its own.
            let asked = unblock(move || match request {
                InputRequest::Elicitation(Elicitation::Form(request)) => {
                    fill(&requester, request).map(InputResponse::from)
                }
                InputRequest::Elicitation(Elicitation::Url(request)) => {
                    consent(&requester, &request)
                }
                InputRequest::Sampling(_) | InputRequest::Roots => {
                    Err(InquireError::Custom(not_claimed().0.into()))
                }
            });
            let response = asked.await.map_err(|error| GaveUp(error.to_string()))?;
            Ok(Event::Answer { round, key, response })
        })
    }
}

/// Shows a URL with everything that is suspicious about it. The person opens it, or does not.
fn consent(requester: &str, request: &UrlRequest) -> Result<InputResponse, InquireError> {
    println!("\n{requester} asks you to open a page:\n  {}", request.message);
    println!("  host: {}", request.host);
    println!("  URL:  {}", form_model::SafeText::line(&request.url));
    for (is_so, warning) in [
        (!request.is_https, "The connection to it is not encrypted."),
        (request.is_punycode, "Its host is written in punycode: a browser shows other letters."),
        (request.is_mixed_script, "Its host has letters of several scripts."),
        (request.has_userinfo, "It has a user name before the host, which can pass for the host."),
    ] {
        if is_so {
            println!("  ⚠ {warning}");
        }
    }
    let lines = vec![
        Line(InputResponse::Consent, "I open it".into()),
        Line(InputResponse::Decline, "Decline".into()),
        Line(InputResponse::Cancel, "Cancel without an answer".into()),
    ];
    match Select::new("Open it in your browser?", lines).with_starting_cursor(1).prompt() {
        Ok(line) => Ok(line.0),
        Err(InquireError::OperationCanceled) => Ok(InputResponse::Cancel),
        Err(error) => Err(error),
    }
}

/// What a person can do with a form that is filled in.
enum Choose {
    Submit,
    Edit(usize),
    Decline,
    Cancel,
}

/// A line to choose, and the value it stands for.
struct Line<T>(T, String);

impl<T> fmt::Display for Line<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.1)
    }
}

/// Shows a form, field by field and then as a whole, until the person has decided.
fn fill(requester: &str, request: FormRequest) -> Result<Submission, InquireError> {
    println!("\n{requester} asks:\n  {}", request.message);
    if let Some(title) = request.form.title() {
        println!("  {title}");
    }
    println!("  {WARNING}\n");
    let mut draft = Draft::new(request.form);
    for index in 0..draft.form().fields().len() {
        // Escape leaves the rest of the form to the review.
        if !edit(&mut draft, index)? {
            break;
        }
    }
    loop {
        match review(&draft)? {
            Choose::Edit(index) => {
                edit(&mut draft, index)?;
            }
            Choose::Decline => return Ok(draft.decline()),
            Choose::Cancel => return Ok(draft.cancel()),
            Choose::Submit => match draft.submit() {
                Ok(answer) => return Ok(Submission::Accept(answer)),
                Err(_) => {
                    for error in draft.errors() {
                        println!("  ✗ {}: {}", error.field.label(), error.message());
                    }
                }
            },
        }
    }
}

/// Shows what is filled in, and asks the person what to do with it.
fn review(draft: &Draft) -> Result<Choose, InquireError> {
    let mut lines = vec![Line(Choose::Submit, "Submit".into())];
    for (index, line) in draft.review().enumerate() {
        let shown = if line.shown.is_empty() { "(empty)" } else { &line.shown };
        lines.push(Line(Choose::Edit(index), format!("Edit {}: {shown}", line.field.label())));
    }
    lines.push(Line(Choose::Decline, "Decline".into()));
    lines.push(Line(Choose::Cancel, "Cancel without an answer".into()));
    match Select::new("Review:", lines).prompt() {
        Ok(line) => Ok(line.0),
        Err(InquireError::OperationCanceled) => Ok(Choose::Cancel),
        Err(error) => Err(error),
    }
}

/// Asks for one field. Returns false if the person wants to see the whole form.
fn edit(draft: &mut Draft, index: usize) -> Result<bool, InquireError> {
    let Some(field) = draft.form().fields().get(index).cloned() else { return Ok(true) };
    if field.looks_secret() {
        println!("  ⚠ This field seems to ask for a secret.");
    }
    match prompt(draft, &field) {
        Ok(()) => Ok(true),
        Err(InquireError::OperationCanceled) => Ok(false),
        Err(error) => Err(error),
    }
}

fn prompt(draft: &mut Draft, field: &Field) -> Result<(), InquireError> {
    let optional = if field.is_required() { "" } else { " (optional)" };
    let label = format!("{}{optional}", field.label());
    let help = field.description().map(ToString::to_string);
    let help = help.as_deref();
    let edited = match field.kind() {
        Kind::Flag(_) => {
            let mut confirm = Confirm::new(&label);
            confirm.help_message = help;
            confirm.default = match draft.value(field.name()) {
                Some(Value::Flag(flag)) => Some(*flag),
                _ => None,
            };
            draft.set(field.name(), Value::Flag(confirm.prompt()?))
        }
        Kind::Choice(choice) => {
            let mut options = lines(&choice.options);
            if !field.is_required() {
                options.push(Line(None, "(leave empty)".into()));
            }
            let is_now = |option: &ChoiceOption| draft.is_selected(field.name(), &option.value);
            let at = choice.options.iter().position(is_now).unwrap_or(0);
            let mut select = Select::new(&label, options).with_starting_cursor(at);
            select.help_message = help.or(select.help_message);
            match select.prompt()?.0 {
                Some(value) => draft.set(field.name(), Value::Text(value)),
                None => draft.clear(field.name()),
            }
        }
        Kind::Choices(choices) => {
            let options = choices.options.iter().enumerate();
            let is_now = |option: &ChoiceOption| draft.is_selected(field.name(), &option.value);
            let selected: Vec<usize> =
                options.filter(|(_, option)| is_now(option)).map(|(index, _)| index).collect();
            let mut select =
                MultiSelect::new(&label, lines(&choices.options)).with_default(&selected);
            select.help_message = help.or(select.help_message);
            let values: Vec<_> = select.prompt()?.into_iter().filter_map(|line| line.0).collect();
            // An optional field in which nothing is selected stays unanswered.
            if values.is_empty() && !field.is_required() {
                draft.clear(field.name())
            } else {
                draft.set(field.name(), Value::Choices(values))
            }
        }
        Kind::Text(_) | Kind::Number(_) | Kind::Integer(_) => {
            let text = prompt_text(draft, field, &label, help)?;
            // An optional field that is left empty stays unanswered.
            if text.is_empty() && !field.is_required() {
                draft.clear(field.name())
            } else {
                draft.set_text(field.name(), &text)
            }
        }
    };
    edited.map_err(|error: EditError| InquireError::Custom(error.into()))
}

fn lines(options: &[ChoiceOption]) -> Vec<Line<Option<String>>> {
    options.iter().map(|o| Line(Some(o.value.clone()), o.label().into_owned())).collect()
}

/// Asks for a text, and shows at once what is wrong with it.
fn prompt_text(
    draft: &Draft,
    field: &Field,
    label: &str,
    help: Option<&str>,
) -> Result<String, InquireError> {
    let initial = draft.text(field.name());
    let mut text = Text::new(label).with_initial_value(&initial);
    text.help_message = help;
    let (tried, field) = (draft.clone(), field.clone());
    text.with_validator(move |text: &str| {
        if text.is_empty() && !field.is_required() {
            return Ok(Validation::Valid);
        }
        let mut tried = tried.clone();
        tried.set_text(field.name(), text)?;
        Ok(tried.error(field.name()).map_or(Validation::Valid, |error| {
            Validation::Invalid(ErrorMessage::Custom(error.message()))
        }))
    })
    .prompt()
}
