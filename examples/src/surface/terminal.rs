//! A person at a terminal.

use core::{fmt, future::Future, pin::Pin};
use std::collections::BTreeMap;

use form_model::{Choice, ChoiceOption, Content, Field, Form, Kind, Value};
use inquire::{
    Confirm, InquireError, MultiSelect, Select, Text,
    validator::{ErrorMessage, Validation},
};
use mrtr_core::{
    Event, Interaction,
    wire::{FormRequest, Response},
};

use super::{GaveUp, Surface, WARNING, script::typed};

/// Asks a person at the terminal that the program runs in.
pub struct Terminal {
    /// Who asks, as far as the program knows: the server and the tool.
    pub requester: String,
}

impl Surface for Terminal {
    fn ask(
        &self,
        round: u32,
        key: String,
        interaction: Interaction,
    ) -> Pin<Box<dyn Future<Output = Result<Event, GaveUp>> + '_>> {
        let Interaction::Form(request) = interaction;
        let requester = self.requester.clone();
        Box::pin(async move {
            // Prompts wait for keys, so they wait on a thread of their own.
            let filled = tokio::task::spawn_blocking(move || Filling::new(request).run(&requester));
            let response = filled.await.map_err(|error| GaveUp(error.to_string()))?;
            let response = response.map_err(|error| GaveUp(error.to_string()))?;
            Ok(Event::Answer { round, key, response })
        })
    }
}

/// Is a form on the screen, and what is filled in so far.
struct Filling {
    request: FormRequest,
    values: BTreeMap<String, Value>,
}

/// Is what a person can do with a form that is filled in.
enum Choose {
    Submit,
    Edit(usize),
    Decline,
    Dismiss,
}

struct Line(Choose, String);

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.1)
    }
}

impl Filling {
    fn new(request: FormRequest) -> Self {
        let default = |field: &Field| Some((field.name().into(), field.default()?));
        let values = request.form.fields().iter().filter_map(default).collect();
        Self { request, values }
    }

    fn run(mut self, requester: &str) -> Result<Response, InquireError> {
        println!("\n{requester} asks:\n  {}", self.request.message);
        if let Some(title) = self.request.form.title() {
            println!("  {title}");
        }
        println!("  {WARNING}\n");
        for index in 0..self.request.form.fields().len() {
            // Escape leaves the rest of the form to the review.
            if !self.edit(index)? {
                break;
            }
        }
        loop {
            match self.review()? {
                Choose::Edit(index) => {
                    self.edit(index)?;
                }
                Choose::Decline => return Ok(Response::Decline),
                Choose::Dismiss => return Ok(Response::Dismiss),
                Choose::Submit => match self.request.form.accept(self.content()) {
                    Ok(answer) => return Ok(Response::Accept(answer.into())),
                    Err(faults) => faults.iter().for_each(|fault| println!("  ✗ {fault}")),
                },
            }
        }
    }

    fn content(&self) -> Content {
        self.values
            .iter()
            .fold(Content::new(), |content, (name, value)| content.with(name, value.clone()))
    }

    /// Shows what is filled in and asks what to do with it.
    fn review(&self) -> Result<Choose, InquireError> {
        let mut lines = vec![Line(Choose::Submit, "Submit".into())];
        for (index, field) in self.request.form.fields().iter().enumerate() {
            let value = self.values.get(field.name()).map_or_else(|| "(empty)".into(), shown);
            lines.push(Line(Choose::Edit(index), format!("Edit {}: {value}", field.label())));
        }
        lines.push(Line(Choose::Decline, "Decline".into()));
        lines.push(Line(Choose::Dismiss, "Dismiss without an answer".into()));
        match Select::new("Review:", lines).prompt() {
            Ok(line) => Ok(line.0),
            Err(InquireError::OperationCanceled) => Ok(Choose::Dismiss),
            Err(error) => Err(error),
        }
    }

    /// Asks for one field. False: the person wants to see the whole.
    fn edit(&mut self, index: usize) -> Result<bool, InquireError> {
        let form = self.request.form.clone();
        let Some(field) = form.fields().get(index) else { return Ok(true) };
        let value = match prompt(&form, field, self.values.get(field.name())) {
            Ok(value) => value,
            Err(InquireError::OperationCanceled) => return Ok(false),
            Err(error) => return Err(error),
        };
        match value {
            Some(value) => self.values.insert(field.name().into(), value),
            None => self.values.remove(field.name()),
        };
        Ok(true)
    }
}

/// Writes a value for the screen. It is the person's own, or the server's default.
fn shown(value: &Value) -> String {
    let text = match value {
        Value::Text(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Flag(true) => "yes".into(),
        Value::Flag(false) => "no".into(),
        Value::Choices(values) => values.join(", "),
        Value::Unusable(_) => String::new(),
    };
    form_model::SafeText::line(&text).to_string()
}

struct Labelled(Option<String>, String);

impl fmt::Display for Labelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.1)
    }
}

fn labelled(options: &[ChoiceOption]) -> Vec<Labelled> {
    options.iter().map(|o| Labelled(Some(o.value.clone()), o.label().into_owned())).collect()
}

/// Asks for the value of one field. `None`: it stays empty.
fn prompt(form: &Form, field: &Field, now: Option<&Value>) -> Result<Option<Value>, InquireError> {
    let required = if field.is_required() { "" } else { " (optional)" };
    let label = format!("{}{required}", field.label());
    let help = field.description().map(ToString::to_string);
    match field.kind() {
        Kind::Flag(_) => {
            let mut confirm = Confirm::new(&label);
            confirm.help_message = help.as_deref();
            confirm.default = match now {
                Some(Value::Flag(flag)) => Some(*flag),
                _ => None,
            };
            confirm.prompt().map(|flag| Some(Value::Flag(flag)))
        }
        Kind::Choice(choice) => prompt_choice(field, choice, &label, help.as_deref(), now),
        Kind::Choices(choices) => {
            let selected: &[String] = match now {
                Some(Value::Choices(values)) => values,
                _ => &[],
            };
            let is_selected = |option: &ChoiceOption| selected.contains(&option.value);
            let indexes: Vec<usize> = choices
                .options
                .iter()
                .enumerate()
                .filter_map(|(index, option)| is_selected(option).then_some(index))
                .collect();
            let mut select =
                MultiSelect::new(&label, labelled(&choices.options)).with_default(&indexes);
            select.help_message = help.as_deref().or(select.help_message);
            let values = select.prompt()?.into_iter().filter_map(|option| option.0).collect();
            Ok(Some(Value::Choices(values)))
        }
        Kind::Text(_) | Kind::Number(_) | Kind::Integer(_) => {
            let initial = now.map(shown).unwrap_or_default();
            let mut text = Text::new(&label).with_initial_value(&initial);
            text.help_message = help.as_deref();
            let may_be_empty = !field.is_required();
            let (form, checked) = (form.clone(), field.clone());
            let text = text.with_validator(move |text: &str| {
                Ok(match problem(&form, &checked, text) {
                    Some(_) if text.is_empty() && may_be_empty => Validation::Valid,
                    Some(problem) => Validation::Invalid(ErrorMessage::Custom(problem)),
                    None => Validation::Valid,
                })
            });
            let text = text.prompt()?;
            Ok((!text.is_empty() || !may_be_empty).then(|| typed(field, &text)))
        }
    }
}

/// Tells what is wrong with a text for one field. Other fields are not at issue.
fn problem(form: &Form, field: &Field, text: &str) -> Option<String> {
    let faults = form.accept(Content::new().with(field.name(), typed(field, text))).err()?;
    let fault = faults.iter().find(|fault| fault.field == field.name())?;
    Some(fault.problem.to_string())
}

fn prompt_choice(
    field: &Field,
    choice: &Choice,
    label: &str,
    help: Option<&str>,
    now: Option<&Value>,
) -> Result<Option<Value>, InquireError> {
    let mut options = labelled(&choice.options);
    if !field.is_required() {
        options.push(Labelled(None, "(leave empty)".into()));
    }
    let is_now =
        |option: &ChoiceOption| matches!(now, Some(Value::Text(text)) if *text == option.value);
    let at = choice.options.iter().position(is_now).unwrap_or(0);
    let mut select = Select::new(label, options).with_starting_cursor(at);
    select.help_message = help.or(select.help_message);
    Ok(select.prompt()?.0.map(Value::Text))
}
