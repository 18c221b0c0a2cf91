//! Names of files, programs and models: the same in every language.

use super::Words;
use crate::guard::threats::concepts::*;

pub(super) const WORDS: Words = &[
    (
        AGENT_FILE,
        "agents.md, claude.md, gemini.md, soul.md, skill.md, .cursorrules, .cursor/rules, .windsurfrules, .clinerules, \
         copilot-instructions.md, .github/copilot-instructions.md, ~/.claude/settings.json, .claude/settings.json, \
         claude_desktop_config.json, mcp.json, .mcp.json",
    ),
    (KEY_FILE, "authorized_keys, ~/.ssh/authorized_keys, .ssh/authorized_keys, authorized_keys2"),
    (
        STARTUP,
        "~/.bashrc, .bashrc, ~/.zshrc, .zshrc, ~/.profile, .profile, .bash_profile, ~/.bash_profile, crontab, \
         /etc/crontab, /etc/cron.d*, /etc/rc.local, rc.local, launchagent*, launchdaemon*, systemd",
    ),
    (
        SECRET,
        ".env, ~/.ssh, ~/.ssh/id_rsa, ~/.ssh/id_ed25519, id_rsa, ~/.aws, ~/.aws/credentials, ~/.gnupg, ~/.kube, \
         ~/.kube/config, ~/.netrc, .netrc, .npmrc, .pgpass, /etc/shadow, ~/.config",
    ),
    (DAN, "dan"),
    (MODEL, "ai, llm, chatgpt, gpt, claude, gemini"),
    (COMMANDER, "c2, c&c"),
];
