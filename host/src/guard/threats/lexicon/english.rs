//! English.

use super::Words;
use crate::guard::threats::concepts::*;

pub(super) const WORDS: Words = &[
    (
        OVERRIDE,
        "ignore, ignoring, disregard, disregarding, forget, forgetting, neglect, \
         overlook, skip, drop, discard, dismiss, abandon, override, overrule, bypass, circumvent, unlearn, \
         delete, erase, wipe, reject, disobey, violate, break, suspend, disable, deactivate, set aside, put aside, \
         cast aside, lay aside, leave aside, brush aside, throw out, throw away, \
         pay no attention to, pay no heed to, take no notice of, give no weight to, \
         do not follow, don't follow, never follow, not follow, do not obey, don't obey, never obey, do not comply with, \
         don't comply with, do not listen to, don't listen to, no longer follow, no longer obey, \
         stop following, stop obeying, stop listening to, cease to follow, cease following, refuse to follow, \
         quit following, quit obeying, do not adhere to, don't adhere to, act against, go against",
    ),
    (
        NOT,
        "not, never, don't, do not, cannot, can't, must not, mustn't, should not, shouldn't, won't, will not, \
         avoid, refrain from, nothing, without",
    ),
    (
        DISOBEY,
        "disobey, stop obeying, stop listening to, do not obey, don't obey, never obey, no longer obey, \
         do not listen to, don't listen to, cease obeying, refuse to obey, quit obeying",
    ),
    (APPLY, "apply, applies, count, hold, bind, matter"),
    (FOLLOW, "follow, follows, obey, obeys, comply, comply with, adhere to, heed, act on, abide by, listen to, trust"),
    (
        PRIOR,
        "previous, previously, prior, earlier, above, preceding, foregoing, former, before, existing, \
         original, so far, up to now, until now, up to this point, beforehand, aforementioned, thus far, already",
    ),
    (ALL, "all, any, every, each, everything, whatever, anything, entire, whole, any and all, all of"),
    (
        INSTRUCTIONS,
        "instructions, instruction set, rules, directives, directions, guidelines, guidance, guardrails, commands, \
         orders, policies, constraints, restrictions, prompts, protocols, programming, principles, safeguards, \
         content policy, safety policy, system instructions, safety rules, safety guidelines",
    ),
    (INSTRUCTION, "instruction, rule, directive, guideline, order, command, policy, prompt, constraint, restriction"),
    (
        YOURS,
        "your, yours, you were given, you have been given, given to you, you received, you have received, you got, \
         you've been given, you were provided, provided to you, placed on you, imposed on you, you must, you have, \
         you had, you may have, you were, you are given, gave you, we gave you",
    ),
    (
        AUTHORITY,
        "system, system's, developer, developers, developer's, operator, operators, operator's, admin, administrator, \
         safety, security, content, openai, anthropic, google, creator, creators, maker, makers, vendor, moderation, ethical",
    ),
    (
        PROMPT,
        "system prompt, system prompts, system message, system messages, initial prompt, original prompt, hidden prompt, \
         secret prompt, developer message, developer prompt, system instructions, base prompt, preprompt, pre-prompt, \
         starting prompt, prior context, previous context, prior prompt, previous prompt",
    ),
    (
        VOID,
        "void, annulled, abolished, repealed, rescinded, waived, nullified, cancelled, canceled, revoked, suspended, lifted, removed, outdated, obsolete, superseded, invalid, \
         overridden, disabled, deactivated, off, gone, turned off, switched off, stripped, null, erased, \
         no longer apply, no longer count, don't count, do not count, no longer valid, no longer in force, no longer in effect, no longer binding, do not apply, \
         don't apply, not apply, does not apply, doesn't apply, cease to apply, not binding",
    ),
    (NEW, "new, following, these, this, updated, instead, only, replacement"),
    (
        TOLD,
        "told, been told, you have been told, you were told, told you, you know, you learned, you learnt, you believe, \
         taught, trained, you have learned",
    ),
    (
        TELL,
        "tell, inform, notify, mention, reveal, disclose, say, alert, warn, let, show this, report, admit, acknowledge, \
         discuss",
    ),
    (
        0,
        "user's, users', human's, let us, let's, user interface, user stories, user story, user id, user name, user guide",
    ),
    (USER, "user, users, human, the human, the owner, the customer"),
    (FROM_USER, "from the user, from users, from the human, from your user"),
    (HIDE, "hide, conceal, keep, withhold, secret"),
    (
        UNTOLD,
        "without telling the user, without informing the user, without notifying the user, \
         without mentioning it to the user, without the user knowing, without the user noticing, \
         without the user's knowledge, without the user's consent, without letting the user know, \
         without user consent, behind the user's back, unbeknownst to the user, without asking the user, \
         say nothing to the user, say nothing about it to the user",
    ),
    (QUIETLY, "quietly, silently, secretly, covertly, discreetly, stealthily, surreptitiously, in the background"),
    (MODEL, "assistant, chatbot, language model, ai model, ai agent, ai agents, ai assistant, the model, bot, agents"),
    (
        BE,
        "you are, you're, you have, you've, you are now, you're now, you will be, you will now be, you shall be, you become, \
         you will act, you will behave, you must act, you have become, you now have, \
         act, respond, answer, act as, act like, act as if, act as though, behave as, behave as if, behave as though, behave like, \
         pretend, pretend to be, pretend you, pretend that you, roleplay as, role-play as, role play as, roleplay, \
         imagine you, imagine that you, imagine being, simulate, simulate being, impersonate, \
         respond as, answer as, reply as, respond like, speak as, respond as if, play the part of, play the role of, \
         take on the role of, assume the role of, assume the persona of, your new identity, your new role, \
         your new persona, your true self, your real self, transform into, turn into, become",
    ),
    (
        UNBOUND,
        "you have no, you've no, you no longer have, you are not bound by, you're not bound by, you are no longer bound by, \
         you are free of, you are free from, you are freed from, you do not have, you don't have any",
    ),
    (
        PERSONA,
        "unrestricted, unfiltered, uncensored, unlimited, unbound, unshackled, unaligned, jailbroken, evil, amoral, \
         immoral, unethical, malicious, rogue, hacker, do anything now, can do anything, without ethics, \
         opposite of yourself",
    ),
    (
        MODE,
        "god mode, dan mode, jailbreak mode, jailbroken mode, unrestricted mode, unfiltered mode, evil mode, \
            uncensored mode, no-filter mode, sudo mode, do anything now mode",
    ),
    (
        USUAL_MODE,
        "developer mode, debug mode, admin mode, maintenance mode, root mode, test mode, dev mode, opposite mode",
    ),
    (ENABLE, "enable, enter, activate, switch to, turn on, switch on, go into, start, engage, unlock, initiate"),
    (
        WITHOUT,
        "without, no, free from, free of, lacks, lacking, lack, not bound by, not limited by, ignores, unbound by, \
         not restricted by, exempt from, freed from, set free of, set free from, released from, liberated from, relieved of, has no, have no, had no, not subject to, above all, beyond, not follow, \
         outside of, don't have, does not have, doesn't have, zero, doesn't follow",
    ),
    (
        LIMIT,
        "restriction, restrictions, limit, limits, limitation, limitations, rule, rules, filter, filters, guardrail, \
         guardrails, moral, morals, morality, ethics, ethical, boundary, boundaries, constraint, constraints, \
         censorship, safeguards, guidelines, content policy, content policies, policies, safety, inhibitions, scruples, programming",
    ),
    (REFUSE, "refuse, refuses, refusing, decline, declines, deny, denies, reject, rejects, say no, says no"),
    (
        SEND,
        "send, sends, sending, post, posts, upload, uploads, transmit, forward, mail, email, e-mail, submit, deliver, \
         share, relay, push, publish, ship, pipe, copy, report, pass, hand over, dump, paste, ping, sync, stream",
    ),
    (STEAL, "exfiltrate, exfiltrates, steal, leak, harvest, siphon, smuggle out, extract"),
    (
        SECRET,
        "api key*, apikey*, secret key*, private key*, access key*, ssh key*, password*, passphrase*, credential*, \
         token, tokens, access token*, session token*, session cookie*, cookies, secrets, environment variable*, \
         env vars, wallet, seed phrase, credit card*, card number*, bank details, login details, .env file, \
         credentials file, personal data, private data",
    ),
    (
        PRIVATE,
        "conversation, conversations, chat history, chat log*, whole chat, this chat, the chat, message history, \
         every message, all messages, the words, transcript, memories, private memories, its contents, contents, the content, \
         everything, the file, the files, memory file*, user data, user's data, user's files, history, \
         private messages, chat",
    ),
    (
        DESTINATION,
        "webhook, endpoint, our server, our site, my server, my site, this server, this address, the following url, \
         following address, this url, paste site, pastebin, attacker*, external server, remote server, remote host, \
         our endpoint, dns query, dns queries, discord, telegram, third party",
    ),
    (LINK, "link, links, url, query parameter*, query string, image, images, parameter, markdown image*"),
    (
        REVEAL,
        "print, show, output, display, repeat, give, tell, write, write out, write down, recite, copy, return, type, \
         list, echo, quote, state, summarize, summarise, translate, provide, share, describe, what is, what are, \
         what's, what does, what were, reply, spell out, read out, reply with, answer with, respond with",
    ),
    (EXPOSE, "reveal, expose, disclose, leak, dump, divulge, extract, print out, spit out"),
    (
        VERBATIM,
        "verbatim, word for word, in full, exactly, exact, complete, completely, in its entirety, as is, unchanged, \
         letter for letter, character by character, full text, entire, full, text of",
    ),
    (INITIAL, "initial, hidden, original, exact, secret, internal, starting, confidential, underlying, first, system"),
    (
        WRITE,
        "add, append, write, put, insert, place, edit, modify, overwrite, update, change, store, save, inject, include, \
         embed, encode, install, create, register, set, alter, attach, prepend, drop, plant, replace",
    ),
    (
        AGENT_FILE,
        "mcp configuration, mcp config, agent config*, agent's config*, agent instructions, agent rules, \
         copilot instructions",
    ),
    (
        STARTUP,
        "cron job, cronjob, cron entry, startup items, startup script, startup folder, login items, at each boot, \
         at every boot, on each boot, on every boot, at each login, at every login, at startup, at boot, \
         systemd unit, systemd service, launch agent, shell profile, login script, autostart, run key",
    ),
    (
        LASTING,
        "always, every later session, every session, each session, later sessions, future sessions, \
         all future conversations, future conversations, every future*, all future, from now on, permanently, forever, \
         so that, permanent, persistent, at all times, next time, later, other agents, every time, in every answer, \
         in every reply, in every response, in each answer, persists, survives",
    ),
    (
        POLL,
        "poll, ask, beacon, beacon to, check in, check in with, connect to, connect, report to, report back to, contact, \
         query, phone home, call home, register with, register this agent, enroll, enrol, listen for, heartbeat to, \
         heartbeat, ping, fetch, request, join, subscribe to",
    ),
    (
        OFTEN,
        "every hour, each hour, hourly, every minute, every few minutes, each minute, every day, periodically, \
         regularly, at intervals, every ten minutes, every five minutes, every two minutes, minutes, seconds, each turn, \
         every turn, on each turn, every time, whenever, continuously",
    ),
    (
        EXECUTE,
        "run, runs, execute, executes, carry out, perform, eval, evaluate, launch, follow, obey, do what, invoke, do",
    ),
    (
        ORDERS,
        "commands, tasks, orders, jobs, instructions, whatever it returns, what it returns, whatever it sends, the reply, \
         the response, the result, the output, its reply, its response, each one, tasks it sends, payload, \
         what it says, whatever it says, returned commands, further instructions",
    ),
    (
        COMMANDER,
        "c2 server, c2, command and control, command-and-control, command server, control server, operator's server, \
         botnet, bot node, bot herder, controller, handler, attacker's server, implant, mothership, zombie",
    ),
    (0, "command and conquer, command and control centre, pest control"),
    (FETCH, "download, downloads, fetch, fetches, retrieve, pull, get, load, open, read, visit, grab, collect, gather"),
    (AWAIT, "await, wait for, wait, accept, receive, listen for, stand by for"),
    (MEMORY, "memory, long-term memory, your memory, memories, persistent memory, knowledge base"),
    (
        OUTRANK,
        "supersede, supersedes, take precedence over, takes precedence over, higher priority than, more important than, \
         outrank, outranks, overrides, override, replaces, replace, prevails over, prevail over, trumps, \
         above your, even if it goes against, even if it contradicts, even if this violates, takes priority over",
    ),
    (
        UNCHECKED,
        "without asking, without confirmation, without approval, without review, without permission, skipped, \
         disables, disable, are allowed, is allowed, auto-approve, approve every, approve all, not show the change, \
         trust, trusts, run first, started first, first, bypass, bypasses, skip, skips, no confirmation",
    ),
    (
        PAYLOAD,
        "payload, downloaded binary, downloaded script, the binary, the script, malware, backdoor, dropper, our program",
    ),
    (SHELL, "reverse shell, bind shell, remote shell, web shell, webshell, reverse tunnel"),
];
