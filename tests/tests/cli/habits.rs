//! What programs on a command line are expected to do.

use insta::assert_snapshot;

use crate::scene::Scene;
use crate::shown::words;

const TALK: &str = "{\"session_id\": \"a\", \"role\": \"user\", \"content\": \"Who is Biscuit?\"}\n";

#[test]
fn wrong_usage_has_a_status_of_its_own() {
    let scene = Scene::without_plugins();
    assert_snapshot!(scene.says(""), @r#"
    exit 2
    ---- err
    A memory host for AI agents

    Usage: hermes [OPTIONS] <COMMAND>

    Commands:
      plugins      Install, list and remove plugins
      memory       Set up and look at the memory provider
      sessions     List, read and tidy up the recorded conversations
      chat         Talk to your own model, with the memory in the conversation
      tools        List and call the tools that a model would see
      replay       Run a recorded conversation and show what the model would be given
      mcp          Serve the memory to clients of the Model Context Protocol, and set them up
      proxy        Give any application that speaks to OpenAI's API a memory
      config       Read and change the settings
      profiles     List, make and remove profiles: homes of their own below the home
      doctor       Look at everything, and say what to do about what is wrong
      logs         Print the log of what went on in the background
      completions  Print the completions of a shell
      man          Print the manual page of a command, or write all of them
      help         Print this message or the help of the given subcommand(s)

    Options:
      -h, --help     Print help
      -V, --version  Print version

    Everywhere:
          --home <DIR>      The home folder; otherwise `HERMES_HOME`, otherwise `~/.hermes`
          --profile <NAME>  A profile of the home; otherwise `HERMES_PROFILE`, otherwise `default`, the
                            home itself
          --catalog <DIR>   A catalog to use in place of all others; may be given several times
          --offline         Install nothing from the network; what a provider does there is its own
                            setting
          --json            Print JSON, and ask nothing
      -v, --verbose         Say more
          --color <WHEN>    When to use colours; `NO_COLOR` is honoured [default: auto] [possible
                            values: auto, always, never]

    Examples:
      hermes memory setup holographic
      hermes memory remember "Vera's dog Biscuit is allergic to chicken"
      hermes memory recall "What can I buy for Biscuit?"
      hermes memory status

    Exit status: 0 ok, 1 failed, 2 wrong usage.
    "#);
    for line in [
        "--color red memory status",
        "--profile",
        "memry",
        "memory",
        "memory recall",
        "memory status --chek",
        "plugins",
        "tools call",
        "replay",
        "config set a",
        "completions",
        "profiles",
        "man memry",
    ] {
        let ran = scene.run(line);
        assert!(ran.status == 2 && ran.out.is_empty() && !ran.err.is_empty(), "{line}: {}", ran.shown());
    }
    assert_snapshot!(scene.says("memory statsu"), @"
    exit 2
    ---- err
    error: unrecognized subcommand 'statsu'

      tip: some similar subcommands exist: 'setup', 'status', 'stats'

    Usage: hermes memory [OPTIONS] <COMMAND>

    For more information, try '--help'.
    ");
    assert_snapshot!(scene.says("memory remember ' '"), @r"
    exit 2
    ---- err
    error: there is nothing to remember
    ");
}

#[test]
fn every_command_explains_itself() {
    let scene = Scene::without_plugins();
    let mut all = String::new();
    for noun in ["", "plugins", "memory", "tools", "replay", "config", "profiles", "doctor", "man", "completions"] {
        let help = scene.run(&format!("{noun} --help"));
        assert!(help.status == 0 && help.err.is_empty(), "{noun}");
        if noun != "completions" {
            assert!(help.out.contains("Examples:\n"), "{noun}: {}", help.out);
        }
        all.push_str(&help.out);
    }
    for line in ["plugins install", "memory setup", "memory recall", "tools call"] {
        let help = scene.run(&format!("{line} --help"));
        assert!(help.status == 0 && help.out.contains("Usage: hermes"), "{line}");
    }
    assert!(!all.contains('\u{1b}'), "no colours where there is no terminal");
    assert_snapshot!(scene.says("--help"), @r#"
    exit 0
    ---- out
    A memory host for AI agents

    Usage: hermes [OPTIONS] <COMMAND>

    Commands:
      plugins      Install, list and remove plugins
      memory       Set up and look at the memory provider
      sessions     List, read and tidy up the recorded conversations
      chat         Talk to your own model, with the memory in the conversation
      tools        List and call the tools that a model would see
      replay       Run a recorded conversation and show what the model would be given
      mcp          Serve the memory to clients of the Model Context Protocol, and set them up
      proxy        Give any application that speaks to OpenAI's API a memory
      config       Read and change the settings
      profiles     List, make and remove profiles: homes of their own below the home
      doctor       Look at everything, and say what to do about what is wrong
      logs         Print the log of what went on in the background
      completions  Print the completions of a shell
      man          Print the manual page of a command, or write all of them
      help         Print this message or the help of the given subcommand(s)

    Options:
      -h, --help     Print help
      -V, --version  Print version

    Everywhere:
          --home <DIR>      The home folder; otherwise `HERMES_HOME`, otherwise `~/.hermes`
          --profile <NAME>  A profile of the home; otherwise `HERMES_PROFILE`, otherwise `default`, the
                            home itself
          --catalog <DIR>   A catalog to use in place of all others; may be given several times
          --offline         Install nothing from the network; what a provider does there is its own
                            setting
          --json            Print JSON, and ask nothing
      -v, --verbose         Say more
          --color <WHEN>    When to use colours; `NO_COLOR` is honoured [default: auto] [possible
                            values: auto, always, never]

    Examples:
      hermes memory setup holographic
      hermes memory remember "Vera's dog Biscuit is allergic to chicken"
      hermes memory recall "What can I buy for Biscuit?"
      hermes memory status

    Exit status: 0 ok, 1 failed, 2 wrong usage.
    "#);
    assert_snapshot!(scene.says("replay --help"), @"
    exit 0
    ---- out
    Run a recorded conversation and show what the model would be given

    Usage: hermes replay [OPTIONS] <CONVERSATION>

    Arguments:
      <CONVERSATION>  The recording, JSON lines; `-` for stdin

    Options:
          --live         Use the home itself and keep what is learnt; otherwise a copy that is thrown
                         away
          --show-prompt  Show exactly what the model would have been given
      -h, --help         Print help
      -V, --version      Print version

    Everywhere:
          --home <DIR>      The home folder; otherwise `HERMES_HOME`, otherwise `~/.hermes`
          --profile <NAME>  A profile of the home; otherwise `HERMES_PROFILE`, otherwise `default`, the
                            home itself
          --catalog <DIR>   A catalog to use in place of all others; may be given several times
          --offline         Install nothing from the network; what a provider does there is its own
                            setting
          --json            Print JSON, and ask nothing
      -v, --verbose         Say more
          --color <WHEN>    When to use colours; `NO_COLOR` is honoured [default: auto] [possible
                            values: auto, always, never]

    Each line is an OpenAI message object with a `session_id` and, where known, a `timestamp` and a
    `scope`. Calls of the memory's tools are really run; their recorded results are passed over.

    A provider that is missing or fails does not end a conversation: it goes on without, with a warning
    and status 0. What could not be delivered to the provider is named at the end, with status 1.

    Examples:
      hermes replay conversation.jsonl
      hermes replay conversation.jsonl --show-prompt
      hermes replay conversation.jsonl --live --json
    ");
    assert_eq!(scene.does("-V"), scene.does("--version"));
    assert_snapshot!(scene.says("--version"), @r"
    exit 0
    ---- out
    hermes 0.1.0
    ");
}

#[test]
fn examples_in_the_help_are_commands() {
    let scene = Scene::with_memory().variable("EDITOR", "true");
    for noun in ["", "plugins", "memory", "tools", "replay", "config", "profiles", "doctor", "man"] {
        let help = scene.run(&format!("{noun} --help")).out;
        scene.write("conversation.jsonl", TALK);
        let (_, examples) = help.split_once("Examples:\n").unwrap();
        for line in examples.lines().map_while(|line| line.trim().strip_prefix("hermes ")) {
            let command = line.split(['#', '<']).next().unwrap().trim();
            let parsed = scene.command(words(command)).output().unwrap();
            let parsed = scene.ran(parsed);
            // Without a terminal nobody can choose from a list.
            let fits = parsed.status != 2 || command == "memory setup";
            assert!(fits, "{command}: {}", parsed.shown());
        }
    }
}

#[test]
fn colours_are_for_terminals() {
    let scene = Scene::without_plugins();
    let plain = scene.run("memory recall x").err;
    assert!(!plain.contains('\u{1b}'));
    let coloured = scene.run("--color always memory recall x").err;
    assert!(coloured.contains('\u{1b}'), "{coloured}");
    assert!(!scene.run("--color never memory recall x").err.contains('\u{1b}'));
    let scene = scene.variable("NO_COLOR", "1");
    let Some(terminal) = crate::pty::Terminal::start(&scene, "memory recall x") else { return };
    terminal.sees("error: no external provider");
    assert_eq!(terminal.ends(), 1);
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let scene = Scene::with_memory();
    for line in ["tools list", "config list", "plugins list --json", "completions bash", "--help", "memory status"] {
        let mut child = scene.command(words(line)).spawn().unwrap();
        drop(child.stdout.take());
        let ran = scene.ran(child.wait_with_output().unwrap());
        assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{line}");
    }
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
    let Ok(full) = full else { return };
    let output = scene.command(["config", "list"]).stdout(full).output().unwrap();
    assert_snapshot!(scene.ran(output).shown(), @r"
    exit 1
    ---- err
    error: cannot write the output: No space left on device (os error 28)
    ");
}
