//! The answers to a provider's fields: given as flags, asked for, or left as they are.

use std::collections::BTreeMap;

use hermes_provider_api::records::{Choice, ConfigField, FieldType};

use crate::cli::Context;
use crate::cli::config::no_setting;
use crate::error::Failure;

/// What was answered, by the key of the field. Secrets are apart, so that they cannot end in the settings.
#[derive(Default)]
pub(super) struct Answers {
    /// Everything else, as text.
    pub(super) values: BTreeMap<String, String>,
    /// New secrets, by variable.
    pub(super) secrets: BTreeMap<String, String>,
}

/// How the fields are answered.
pub(super) struct Questions<'a> {
    /// The provider.
    pub(super) id: &'a str,
    /// Its fields, in the order in which they are asked.
    pub(super) fields: &'a [ConfigField],
    /// What is set now, by key.
    pub(super) current: BTreeMap<String, String>,
    /// `key=value`, as given.
    pub(super) given: &'a [String],
    /// Nothing is asked.
    pub(super) quiet: bool,
    /// What only experts need is asked too.
    pub(super) advanced: bool,
}

impl Questions<'_> {
    /// Collects the answers; None when the user broke it off. Nothing is written here.
    pub(super) fn ask(&self, context: &Context) -> Result<Option<Answers>, Failure> {
        let given = self.given()?;
        let mut answers = Answers::default();
        for field in self.fields {
            let applies = field.when.as_ref().is_none_or(|when| answers.values.get(&when.key) == Some(&when.equals));
            if !applies {
                continue;
            }
            let given = given.get(field.key.as_str()).copied();
            let answer = match (given, field.secret) {
                (Some(value), _) => Some(value.to_owned()),
                (None, true) => match self.secret(field, context)? {
                    Answer::Text(value) => Some(value),
                    Answer::Keep => None,
                    Answer::Cancelled => return Ok(None),
                },
                (None, false) => match self.value(field, context)? {
                    Answer::Text(value) => Some(value),
                    Answer::Keep => None,
                    Answer::Cancelled => return Ok(None),
                },
            };
            let Some(answer) = answer else { continue };
            field.check(&answer).map_err(Failure::usage)?;
            if field.secret {
                answers.secrets.insert(field.env_var.clone(), answer);
            } else {
                answers.values.insert(field.key.clone(), answer);
            }
        }
        Ok(Some(answers))
    }

    fn given(&self) -> Result<BTreeMap<&str, &str>, Failure> {
        let mut given = BTreeMap::new();
        for pair in self.given {
            let Some((key, value)) = pair.split_once('=') else {
                return Err(Failure::usage(format!("`--set {}` has no `=`", pair.escape_debug())));
            };
            if !self.fields.iter().any(|field| field.key == key) {
                return Err(no_setting(self.id, key, self.fields, ""));
            }
            given.insert(key, value);
        }
        Ok(given)
    }

    /// Asks only where somebody is there and was not told to be quiet.
    fn asks(&self, field: &ConfigField, context: &Context) -> bool {
        let needed = self.advanced || !field.advanced || (field.required && field.default.is_none());
        needed && !self.quiet && context.ui.is_interactive()
    }

    fn secret(&self, field: &ConfigField, context: &Context) -> Result<Answer, Failure> {
        let is_set = context.secrets()?.get(&field.env_var).is_some();
        let instead = format!("the variable {}", field.env_var);
        if !self.asks(field, context) {
            if is_set || !field.required {
                return Ok(Answer::Keep);
            }
            let failure = Failure::usage(format!("`{}` needs {}: {}", self.id, field.key, field.description))
                .hint(format!("set the variable {}, or give `--set {}=…`", field.env_var, field.key));
            return Err(if field.url.is_empty() { failure } else { failure.hint(format!("get one at {}", field.url)) });
        }
        if !field.url.is_empty() {
            context.ui.note(format!("{}: get one at {}", field.description, field.url));
        }
        let question = match (is_set, field.required) {
            (true, _) => format!("{} (Enter keeps the one that is set):", field.description),
            (false, true) => format!("{}:", field.description),
            (false, false) => format!("{} (Enter for none):", field.description),
        };
        let (rule, may_be_empty) = (field.clone(), is_set || !field.required);
        let check = move |text: &str| if text.is_empty() && may_be_empty { Ok(()) } else { rule.check(text) };
        Ok(match context.ui.secret(&question, check, &instead)? {
            None => Answer::Cancelled,
            Some(text) if text.is_empty() => Answer::Keep,
            Some(text) => Answer::Text(text),
        })
    }

    fn value(&self, field: &ConfigField, context: &Context) -> Result<Answer, Failure> {
        let current = self.current.get(&field.key).or(field.default.as_ref());
        if !self.asks(field, context) {
            return match current {
                Some(current) => Ok(Answer::Text(current.clone())),
                None if field.required => {
                    Err(Failure::usage(format!("`{}` needs {}: {}", self.id, field.key, field.description))
                        .hint(format!("give `--set {}=…`", field.key)))
                }
                None => Ok(Answer::Keep),
            };
        }
        let instead = format!("--set {}=…", field.key);
        let choices = match field.field_type {
            FieldType::Boolean if field.choices.is_empty() => ["true", "false"].map(choice).to_vec(),
            _ => field.choices.clone(),
        };
        let question = format!("{}:", field.description);
        if !choices.is_empty() {
            let at = choices.iter().position(|choice| Some(&choice.value) == current).unwrap_or(0);
            let chosen = context.ui.select(&question, &choices, at, &instead)?;
            return Ok(chosen.map_or(Answer::Cancelled, |at| Answer::Text(choices[at].value.clone())));
        }
        let rule = field.clone();
        let typed = context.ui.text(&question, current.map(String::as_str), move |text| rule.check(text), &instead)?;
        Ok(match typed {
            None => Answer::Cancelled,
            Some(text) if text.is_empty() => Answer::Keep,
            Some(text) => Answer::Text(text),
        })
    }
}

enum Answer {
    Text(String),
    Keep,
    Cancelled,
}

fn choice(value: &str) -> Choice {
    Choice { value: value.to_owned(), description: String::new() }
}
