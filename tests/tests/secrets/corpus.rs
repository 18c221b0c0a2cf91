//! Tokens of every known shape. None is real: each is put together here from a beginning and a body of counted
//! letters, so that nothing in this file looks like a secret to those who search for them.

/// A shape, and what may not be left of it.
pub(crate) struct Sample {
    /// What kind it is.
    pub(crate) name: &'static str,
    /// The text in which it stands: the token alone, or with what announces it.
    pub(crate) text: String,
    /// The part that is secret.
    pub(crate) secret: String,
    /// Whether the text is one token, which may stand anywhere, and not lines or words of their own form.
    pub(crate) is_token: bool,
}

const MIXED: &[u8] = b"a7Kq9ZtX3bRw5YcV1nMd8PsL2fHj6GeT4uQk0iBoDvEyCxSzFpJrNgWlAhUm";
const LOWER: &[u8] = b"k4z9q1w7x3v8b2n6m5j0h8g2f7d1s9p3";
const UPPER: &[u8] = b"K4Z9Q1W7X3V8B2N6M5J0H8G2F7D1S9P3";
const HEXED: &[u8] = b"7f3a9c1e5b8d2046f1c7e93ab50d8264";

fn body(from: &[u8], len: usize) -> String {
    // Not the same all along, so that a part that is left is seen.
    (0..len).map(|at| char::from(from[(at * 7 + at / from.len()) % from.len()])).collect()
}

/// Beginning, letters of the body, its length.
type Row = (&'static str, [&'static str; 2], &'static [u8], usize);

const TOKENS: &[Row] = &[
    ("aws key", ["AK", "IA"], UPPER, 16),
    ("aws session key", ["AS", "IA"], UPPER, 16),
    ("google api", ["AI", "za"], MIXED, 35),
    ("google oauth", ["ya", "29."], MIXED, 60),
    ("google client", ["GOC", "SPX-"], MIXED, 28),
    ("google refresh", ["1/", "/0"], MIXED, 60),
    ("github personal", ["gh", "p_"], MIXED, 36),
    ("github oauth", ["gh", "o_"], MIXED, 36),
    ("github user", ["gh", "u_"], MIXED, 36),
    ("github server", ["gh", "s_"], MIXED, 36),
    ("github refresh", ["gh", "r_"], MIXED, 76),
    ("github fine", ["github", "_pat_"], MIXED, 82),
    ("gitlab personal", ["gl", "pat-"], MIXED, 20),
    ("gitlab runner", ["gl", "rt-"], MIXED, 20),
    ("gitlab deploy", ["gl", "dt-"], MIXED, 20),
    ("slack bot", ["xo", "xb-123456789012-"], MIXED, 24),
    ("slack user", ["xo", "xp-123456789012-"], MIXED, 24),
    ("slack app", ["xa", "pp-1-A0123-"], MIXED, 24),
    ("slack config", ["xo", "xe-1-"], MIXED, 60),
    ("stripe live", ["sk_", "live_"], MIXED, 24),
    ("stripe test", ["sk_", "test_"], MIXED, 24),
    ("stripe restricted", ["rk_", "live_"], MIXED, 24),
    ("stripe hook", ["wh", "sec_"], MIXED, 32),
    ("openai", ["s", "k-"], MIXED, 48),
    ("openai project", ["sk-", "proj-"], MIXED, 80),
    ("openai service", ["sk-", "svcacct-"], MIXED, 80),
    ("anthropic", ["sk-", "ant-api03-"], MIXED, 93),
    ("openrouter", ["sk-", "or-v1-"], HEXED, 64),
    ("hugging face", ["h", "f_"], MIXED, 34),
    ("groq", ["gs", "k_"], MIXED, 52),
    ("replicate", ["r", "8_"], MIXED, 37),
    ("perplexity", ["pp", "lx-"], MIXED, 48),
    ("tavily", ["tv", "ly-"], MIXED, 32),
    ("xai", ["xa", "i-"], MIXED, 80),
    ("nvidia", ["nv", "api-"], MIXED, 64),
    ("langsmith", ["lsv2_", "pt_"], HEXED, 42),
    ("pinecone", ["pc", "sk_"], MIXED, 64),
    ("elevenlabs", ["s", "k_"], HEXED, 48),
    ("npm", ["np", "m_"], MIXED, 36),
    ("pypi", ["py", "pi-AgEIcHlwaS5vcmc"], MIXED, 80),
    ("rubygems", ["ruby", "gems_"], HEXED, 48),
    ("docker", ["dckr", "_pat_"], MIXED, 27),
    ("postman", ["PM", "AK-"], HEXED, 59),
    ("sendgrid", ["S", "G."], MIXED, 66),
    ("twilio", ["S", "K"], HEXED, 32),
    ("mailgun", ["ke", "y-"], HEXED, 32),
    ("brevo", ["xkey", "sib-"], HEXED, 64),
    ("digitalocean", ["dop", "_v1_"], HEXED, 64),
    ("vault", ["hv", "s."], MIXED, 24),
    ("vault batch", ["hv", "b."], MIXED, 90),
    ("doppler", ["dp", ".pt."], MIXED, 43),
    ("linear", ["lin", "_api_"], MIXED, 40),
    ("notion", ["nt", "n_"], MIXED, 46),
    ("notion old", ["sec", "ret_"], MIXED, 43),
    ("databricks", ["da", "pi"], HEXED, 32),
    ("shopify", ["shp", "at_"], HEXED, 32),
    ("shopify shared", ["shp", "ss_"], HEXED, 32),
    ("square", ["sq0", "atp-"], MIXED, 22),
    ("square secret", ["sq0", "csp-"], MIXED, 43),
    ("square token", ["EA", "AA"], MIXED, 60),
    ("braintree", ["access_", "token$production$"], HEXED, 49),
    ("heroku", ["HR", "KU-"], MIXED, 60),
    ("fly", ["fm", "2_"], MIXED, 80),
    ("supabase", ["sb", "p_"], HEXED, 40),
    ("supabase secret", ["sb_", "secret_"], MIXED, 31),
    ("vercel", ["vc", "p_"], MIXED, 56),
    ("netlify", ["nf", "p_"], MIXED, 36),
    ("cloudflare ca", ["v1", ".0-"], HEXED, 160),
    ("new relic", ["NR", "AK-"], UPPER, 27),
    ("sentry", ["sn", "trys_"], MIXED, 90),
    ("grafana", ["gl", "sa_"], MIXED, 41),
    ("grafana cloud", ["gl", "c_"], MIXED, 80),
    ("age", ["AGE-", "SECRET-KEY-1"], UPPER, 58),
    ("tailscale", ["ts", "key-auth-"], MIXED, 40),
    ("figma", ["fi", "gd_"], MIXED, 40),
    ("planetscale", ["pscale", "_tkn_"], MIXED, 43),
    ("circleci", ["CC", "IPAT_"], MIXED, 60),
    ("atlassian", ["AT", "ATT3x"], MIXED, 180),
    ("posthog", ["ph", "x_"], MIXED, 43),
    ("hubspot", ["pat-", "na1-"], HEXED, 36),
    ("honcho", ["hc", "h-v3-"], MIXED, 40),
    ("mem0", ["m", "0-"], MIXED, 40),
    ("supermemory", ["s", "m_"], MIXED, 50),
    ("retaindb", ["rd", "b_"], MIXED, 40),
    ("hindsight", ["hs", "k_"], MIXED, 40),
    ("byterover", ["br", "v_"], MIXED, 40),
    ("wallet", ["xp", "rv"], MIXED, 107),
];

/// What is announced by a word: text before, body, text behind.
const ANNOUNCED: &[(&str, &str, &[u8], usize, &str)] = &[
    ("aws secret", "aws_secret_access_key = ", MIXED, 40, ""),
    ("bearer", "Authorization: Bearer ", MIXED, 40, ""),
    ("bearer in capitals", "AUTHORIZATION: BEARER ", MIXED, 40, ""),
    ("basic", "Authorization: Basic ", MIXED, 32, "=="),
    ("other scheme", "Authorization: token ", HEXED, 40, ""),
    ("key header", "X-API-Key: ", LOWER, 32, ""),
    ("postgres", "postgresql://app:", LOWER, 20, "@db.example:5432/app"),
    ("mongodb", "mongodb+srv://app:", LOWER, 20, "@c0.example/app"),
    ("redis", "redis://:", LOWER, 20, "@cache.example:6379/0"),
    ("amqp", "amqps://app:", LOWER, 20, "@mq.example"),
    ("mysql", "mysql://root:", LOWER, 20, "@127.0.0.1/app"),
    ("git remote", "https://", LOWER, 40, "@git.example/a/b.git"),
    ("ado", "Server=db;User Id=sa;Password=", LOWER, 20, ";Encrypt=true"),
    ("azure storage", "AccountName=a;AccountKey=", MIXED, 86, "==;EndpointSuffix=x"),
    ("azure sas", "https://a.blob.example/c?sv=2022&sig=", MIXED, 44, "&se=2030"),
    ("env", "export DB_PASSWORD=", LOWER, 16, ""),
    ("env in capitals", "API_TOKEN=", UPPER, 32, ""),
    ("datadog", "DD_API_KEY=", HEXED, 32, ""),
    ("heroku old", "HEROKU_API_KEY=12345678-90ab-cdef-", HEXED, 17, ""),
    ("json", "{\"client_secret\": \"", LOWER, 30, "\"}"),
    ("json in json", "{\\\"password\\\":\\\"", LOWER, 18, "\\\"}"),
    ("yaml", "api_key: ", LOWER, 24, ""),
    ("toml", "secret_key = \"", LOWER, 24, "\""),
    ("php", "'password' => '", LOWER, 18, "'"),
    ("xml", "<password>", LOWER, 18, "</password>"),
    ("flag", "login --password ", LOWER, 14, ""),
    ("flag with a sign", "run --api-key=", LOWER, 24, ""),
    ("curl", "curl -u app:", LOWER, 18, " https://x.example"),
    ("cookie", "Cookie: lang=en; sid=", MIXED, 32, ""),
    ("set-cookie", "Set-Cookie: session=", MIXED, 32, "; Path=/; HttpOnly"),
    ("slack hook", "https://hooks.slack.com/services/T0/B0/", MIXED, 24, ""),
    ("wireguard", "PrivateKey = ", MIXED, 43, "="),
    ("pre-shared", "PresharedKey = ", MIXED, 43, "="),
    ("russian", "мой пароль: ", LOWER, 12, ""),
    ("chinese", "数据库密码：", LOWER, 12, "。"),
    ("thai", "รหัสผ่าน: ", LOWER, 12, ""),
    ("telegram", "123456789:AA", MIXED, 33, ""),
    ("telegram address", "https://api.telegram.example/bot123456789:AA", MIXED, 33, "/getMe"),
];

/// All of them.
pub(crate) fn all() -> Vec<Sample> {
    let mut samples: Vec<_> = TOKENS
        .iter()
        .map(|&(name, start, from, len)| {
            let secret = body(from, len);
            Sample { name, text: start.concat() + &secret, secret, is_token: true }
        })
        .collect();
    samples.extend(ANNOUNCED.iter().map(|&(name, before, from, len, behind)| {
        let secret = body(from, len);
        Sample { name, text: format!("{before}{secret}{behind}"), secret, is_token: false }
    }));
    let jwt = format!("{}{}.{}{}.{}", "ey", "JhbGciOiJIUzI1NiJ9", "ey", body(MIXED, 60), body(MIXED, 43));
    let secret = body(MIXED, 43);
    samples.push(Sample { name: "jwt", text: jwt, secret, is_token: true });
    let discord = format!("M{}.{}.{}", body(MIXED, 25), body(MIXED, 6), body(LOWER, 38));
    samples.push(Sample { name: "discord", text: discord, secret: body(LOWER, 38), is_token: true });
    let mailchimp = format!("{}-us{}", body(HEXED, 32), 14);
    samples.push(Sample { name: "mailchimp", text: mailchimp, secret: body(HEXED, 32), is_token: true });
    let airtable = format!("pat{}.{}", body(MIXED, 14), body(HEXED, 64));
    samples.push(Sample { name: "airtable", text: airtable, secret: body(HEXED, 64), is_token: true });
    for kind in ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", "PGP "] {
        let end = if kind == "PGP " { " BLOCK" } else { "" };
        let dashes = "-".repeat(5);
        let title = |word: &str| format!("{dashes}{word} {kind}PRIVATE KEY{end}{dashes}");
        let secret = body(MIXED, 48);
        let text = format!("{}\n{secret}\n{secret}\n{}", title("BEGIN"), title("END"));
        samples.push(Sample { name: "private key", text, secret: secret.clone(), is_token: false });
        let json = format!("{{\"private_key\": \"{}\\n{secret}\\n{}\\n\"}}", title("BEGIN"), title("END"));
        samples.push(Sample { name: "private key in JSON", text: json, secret, is_token: false });
    }
    let words = "apple brave cloud drift eagle frost grape honey ivory jolly koala lemon";
    let text = format!("seed phrase: {words}");
    samples.push(Sample { name: "words of a wallet", text, secret: words.to_owned(), is_token: false });
    samples
}
