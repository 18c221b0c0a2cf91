//! Who finds what, and what comes first.

use super::*;

#[test]
fn a_group_does_not_find_what_was_said_in_private() {
    let mut scene = Scene::new();
    let mut private = head("private");
    private.scope.user = "anna".into();
    scene.say_to(&private, NOW, &[(Role::User, "my salary is secretword")]);
    scene.say_to(&group("team", "team", "anna"), NOW, &[(Role::User, "the secretword of the team")]);
    scene.say_to(&group("other", "other", "anna"), NOW, &[(Role::User, "another secretword")]);
    for indexed in [false, true] {
        if indexed {
            scene.catch_up();
        }
        scene.reader = Reader::Owner;
        assert_eq!(scene.names("secretword").len(), 3);
        scene.reader = Reader::Audience(group("", "team", "bob").scope);
        scene.finds("secretword", &["team"]);
        scene.reader = Reader::Audience(private.scope.clone());
        scene.finds("secretword", &["private"]);
        scene.reader = Reader::Audience(Scope { user: "bob".into(), ..private.scope.clone() });
        scene.finds("secretword", &[]);
        scene.reader = Reader::Audience(Scope { profile: "work".into(), ..private.scope.clone() });
        scene.finds("secretword", &[]);
    }
}

#[test]
fn a_session_that_changed_its_audience_shows_each_its_part() {
    let mut scene = Scene::new();
    let mut private = head("s");
    private.scope.user = "anna".into();
    private.title = Some("plans of anna".into());
    scene.say_to(&private, NOW, &[(Role::User, "budget in private")]);
    let moved = SessionHead { scope: group("s", "team", "anna").scope, ..private.clone() };
    let told = NewMessage {
        role: Role::User,
        content: "budget in the team".into(),
        scope: Some(moved.scope.clone()),
        at_ms: NOW,
        ..NewMessage::default()
    };
    scene.write(&private, &[told]);
    scene.catch_up();
    scene.reader = Reader::Audience(moved.scope);
    let found = scene.ask("budget");
    assert_eq!(found[0].passages.len(), 1);
    assert_eq!(found[0].passages[0].excerpt.text, "budget in the team");
    // Nor is the session found by a title that speaks of what others heard.
    scene.finds("plans anna", &[]);
}

#[test]
fn few_messages_of_a_small_audience_are_found_among_many() {
    let mut scene = Scene::new();
    let many: Vec<(Role, &str)> = vec![(Role::User, "we talk about the weather"); 25_000];
    scene.say_to(&group("small", "small", "anna"), NOW, &[(Role::User, "the weather in the small group")]);
    scene.say("many", &many);
    scene.catch_up();
    scene.reader = Reader::Audience(group("", "small", "x").scope);
    scene.finds("weather", &["small"]);
    scene.finds("\"the weather\"", &["small"]);
    // And what a filter leaves is looked for further back.
    scene.reader = Reader::Owner;
    scene.filter.not_sessions = vec!["many".into()];
    scene.finds("weather", &["small"]);
}

#[test]
fn own_conversations_come_before_jobs() {
    // Case 208: a dozen runs of a job, and one conversation.
    let mut scene = Scene::new();
    scene.say("chat", &[(Role::User, "is the backup of the server done?")]);
    for n in 0..12 {
        let head = in_context(&format!("cron{n}"), Context::Cron);
        scene.say_to(&head, NOW + n, &[(Role::User, "backup of the server"), (Role::Assistant, "the backup is done")]);
    }
    scene.say_to(&in_context("helper", Context::Subagent), NOW, &[(Role::User, "server backup")]);
    scene.catch_up();
    let found = scene.names("backup server");
    assert_eq!(found[0], "chat");
    assert!(
        found.len() == 10 && found[1..].iter().all(|name| name.starts_with("cron") || name == "helper"),
        "{found:?}"
    );
    scene.filter.others = Others::None;
    scene.finds("backup server", &["chat"]);
}

#[test]
fn one_session_does_not_fill_the_list() {
    let scene = Scene::new();
    for n in 0..30 {
        scene.say("long", &[(Role::User, &format!("the gateway again, gateway {n}"))]);
    }
    scene.say("short", &[(Role::User, "once the gateway was mentioned")]);
    scene.catch_up();
    let found = scene.ask("gateway");
    assert_eq!(found.iter().map(|found| found.session.name.as_str()).collect::<Vec<_>>(), ["long", "short"]);
    assert_eq!(found[0].passages.len(), 3);
}

#[test]
fn people_count_more_than_tools_and_new_more_than_old() {
    let scene = Scene::new();
    scene.say("tool", &[(Role::Tool, "gateway restarted")]);
    scene.say_to(&head("old"), NOW - 400 * DAY, &[(Role::User, "gateway restarted")]);
    scene.say_to(&head("new"), NOW, &[(Role::User, "gateway restarted")]);
    let titled = SessionHead { title: Some("Restarting the gateway".into()), ..head("titled") };
    scene.say_to(&titled, NOW, &[(Role::User, "gateway restarted")]);
    scene.catch_up();
    scene.finds("gateway restarted", &["titled", "new", "old", "tool"]);
}

#[test]
fn filters_admit_what_they_say() {
    let mut scene = Scene::new();
    let mut telegram = head("telegram");
    (telegram.scope.platform, telegram.scope.chat) = ("telegram".into(), "c1".into());
    scene.say_to(&telegram, NOW - 10 * DAY, &[(Role::User, "tea"), (Role::Assistant, "tea with milk")]);
    let project = SessionHead { scope: Scope { project: "garden".into(), ..head("").scope }, ..head("project") };
    scene.say_to(&project, NOW, &[(Role::User, "tea in the garden")]);
    scene.catch_up();
    let with = |filter: Filter| {
        let ask = Discover { query: "tea", filter: &filter, sessions: 9, passages: 9, chars: 99, thorough: false };
        let found = scene.searcher.discover(&Reader::Owner, &ask).unwrap().sessions;
        let texts = found.iter().flat_map(|found| &found.passages).map(|passage| passage.excerpt.text.clone());
        let mut texts: Vec<String> = texts.collect();
        texts.sort();
        texts
    };
    let days_ago = |days: u64| Some(i64::try_from(NOW - days * DAY).unwrap());
    let all = Filter::default;
    assert_eq!(with(all()).len(), 3);
    assert_eq!(with(Filter { platform: Some("telegram".into()), ..all() }), ["tea", "tea with milk"]);
    assert_eq!(with(Filter { chat: Some("c1".into()), roles: vec!["assistant".into()], ..all() }), ["tea with milk"]);
    assert_eq!(with(Filter { project: Some("garden".into()), ..all() }), ["tea in the garden"]);
    assert_eq!(with(Filter { since: days_ago(5), ..all() }), ["tea in the garden"]);
    assert_eq!(with(Filter { until: days_ago(5), ..all() }), ["tea", "tea with milk"]);
    assert_eq!(with(Filter { sessions: vec!["project".into()], ..all() }), ["tea in the garden"]);
    assert_eq!(with(Filter { not_sessions: vec!["project".into()], ..all() }), ["tea", "tea with milk"]);
    assert!(with(Filter { user: Some("nobody".into()), ..all() }).is_empty());
    scene.filter.sessions = vec!["no such session".into()];
    scene.finds("tea", &[]);
}

#[test]
fn the_same_question_has_the_same_answer() {
    let scene = Scene::new();
    for n in 0..200 {
        scene.say(&format!("s{}", n % 20), &[(Role::User, "the same words in every message")]);
    }
    scene.catch_up();
    let first = scene.names("same words");
    for _ in 0..5 {
        assert_eq!(scene.names("same words"), first);
    }
}
