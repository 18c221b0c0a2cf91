//! `hermes proxy`: the memory in front of any OpenAI-compatible model.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use serde_json::json;

use super::{Context, Exit, open};
use crate::config::{Config, ConfigEdit, ProxyToken};
use crate::error::Failure;
use crate::model::Endpoint;
use crate::surfaces::guard;
use crate::surfaces::proxy::{self, Options, TOKEN};

/// Serves applications that speak to OpenAI's API.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
An application gets a memory by changing two of its settings: its base URL to
http://127.0.0.1:8766/v1, its API key to HERMES_PROXY_TOKEN of the home's `.env`.
The model behind it is at `model.base_url`, with HERMES_MODEL_API_KEY.

A conversation is known by the header `x-hermes-session`, by `session_id` in the
request's `metadata`, by `conversation` or `previous_response_id`, or by how it
begins; `user` says for whom it is.

Examples:
  hermes config set model.base_url http://localhost:11434/v1
  hermes proxy
  hermes proxy token new laptop --user vera"
)]
pub struct Args {
    #[command(subcommand)]
    verb: Option<Verb>,
    /// The address to listen at; any but loopback lets other machines in
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    bind: IpAddr,
    /// The port; 0 for any that is free [default: `proxy.port`]
    #[arg(long)]
    port: Option<u16>,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Make, list and remove tokens for other applications and people
    #[command(subcommand)]
    Token(Token),
}

#[derive(Debug, clap::Subcommand)]
enum Token {
    /// Make a token, which is shown once
    New {
        /// What it is called
        name: String,
        /// The person whose memory it opens; otherwise requests say it
        #[arg(long, default_value = "", hide_default_value = true)]
        user: String,
        /// The platform of what is said with it [default: proxy]
        #[arg(long, default_value = "", hide_default_value = true)]
        platform: String,
    },
    /// List the tokens
    List,
    /// Remove a token
    Remove {
        /// What it is called
        name: String,
    },
}

/// Serves until it is told to stop, or does something with tokens.
///
/// # Errors
/// When no model is set up, the address is taken, or the settings cannot be read or written.
pub fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    match args.verb {
        Some(Verb::Token(token)) => tokens(token, context),
        None => serve(SocketAddr::new(args.bind, args.port.unwrap_or(context.config.proxy_port())), context),
    }
}

fn serve(listen: SocketAddr, context: &Context) -> Result<Exit, Failure> {
    Endpoint::of(&context.config, context.secrets()?)?;
    context.home.create()?;
    let token = guard::token(&mut context.load_secrets()?, TOKEN)?;
    let surroundings = context.surroundings()?;
    let (opened, _) = open::memory_told(context)?;
    open::say_remarks(&opened, context);
    let (ui, env) = (context.ui.clone(), context.home.env_file());
    let is_json = context.json;
    let ready = move |address: SocketAddr, model: &str, warnings: &[String]| {
        warnings.iter().for_each(|warning| ui.warn(warning));
        if !address.ip().is_loopback() {
            ui.warn(format!("other machines can reach {address}; what is said goes there unencrypted"));
        }
        let base = format!("http://{address}/v1");
        if is_json {
            ui.out(json!({"base_url": base, "model": model}).to_string());
        } else {
            ui.out(format!("{base} passes on to {model}"));
            ui.note(format!("the API key is `{TOKEN}` in `{}`; Ctrl-C ends it", env.display()));
        }
    };
    let closed = proxy::serve(&surroundings, opened, Options { listen, token, ready: Box::new(ready) })?;
    Ok(open::say_closed(&closed, &context.ui))
}

fn tokens(verb: Token, context: &Context) -> Result<Exit, Failure> {
    let ui = &context.ui;
    match verb {
        Token::New { name, user, platform } => {
            let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
            if name.is_empty() || name.chars().count() > 64 || !name.chars().all(is_name) {
                return Err(Failure::usage("a token's name has 1 to 64 letters, digits, `-` and `_`"));
            }
            if context.config.proxy_tokens().iter().any(|token| token.name == name) {
                return Err(Failure::new(format!("there is a token `{name}` already"))
                    .hint(format!("`hermes proxy token remove {name}` removes it")));
            }
            let token = guard::new_token()?;
            let hash = Some(proxy::token_hash(&token));
            let entry = ProxyToken { name: name.clone(), hash, env: None, user, platform };
            context.home.create()?;
            ConfigEdit::default().set_proxy_token(&entry).apply(&context.home)?;
            if context.json {
                ui.out(json!({"name": name, "token": token}).to_string());
            } else {
                ui.out(&token);
                ui.note("it is shown this once; a proxy that runs already has to be started again");
            }
        }
        Token::List => {
            let tokens = Config::load(&context.home)?.proxy_tokens();
            if context.json {
                let shown = tokens.iter().map(|token| {
                    json!({"name": token.name, "user": token.user, "platform": token.platform, "env": token.env})
                });
                ui.out(json!({"tokens": shown.collect::<Vec<_>>()}).to_string());
                return Ok(Exit::Success);
            }
            if tokens.is_empty() {
                ui.note(format!("there is only `{TOKEN}` in `.env`, for you"));
            }
            for token in tokens {
                let user = if token.user.is_empty() { String::new() } else { format!("  for {}", token.user) };
                let platform =
                    if token.platform.is_empty() { String::new() } else { format!("  on {}", token.platform) };
                ui.out(format!("{}{user}{platform}", token.name));
            }
        }
        Token::Remove { name } => {
            if !ConfigEdit::default().remove_proxy_token(&name).apply(&context.home)? {
                return Err(
                    Failure::new(format!("there is no token `{name}`")).hint("`hermes proxy token list` shows all")
                );
            }
            ui.note(format!("`{name}` opens nothing any more, once the proxy is started again"));
        }
    }
    Ok(Exit::Success)
}
