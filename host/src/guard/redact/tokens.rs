//! Tokens that are known by how they begin, from the published formats of their issuers.

use std::ops::Range;

use super::quiet;

/// What follows a beginning.
#[derive(Clone, Copy)]
enum Tail {
    /// Letters, digits, `_`, `-` and `.`: with a digit among them, or both cases of letters.
    Token,
    /// The same without `.`, and a part of at least 12 letters and digits that has both: the beginning alone could be
    /// that of an identifier or a word.
    Random,
    /// Lower- and upper-case hexadecimal digits, exactly so many.
    Hex,
    /// Upper-case letters and digits, exactly so many.
    Upper,
    /// Base64 of either alphabet, in parts with commas.
    Base64,
}

/// How it begins, and how long what follows is at least.
type Shape = (&'static str, usize, Tail);

use Tail::{Base64, Hex, Random, Token, Upper};

const SHAPES: &[Shape] = &[
    // Clouds and hosting.
    ("AKIA", 16, Upper),
    ("ASIA", 16, Upper),
    ("ABIA", 16, Upper),
    ("ABSK", 40, Base64),
    ("AIza", 30, Token),
    ("ya29.", 20, Token),
    ("GOCSPX-", 20, Token),
    ("1//0", 30, Token),
    ("LTAI", 16, Random),
    ("dop_v1_", 20, Token),
    ("doo_v1_", 20, Token),
    ("dor_v1_", 20, Token),
    ("FlyV1 ", 30, Base64),
    ("fm1r_", 30, Base64),
    ("fm2_", 30, Base64),
    ("fo1_", 30, Token),
    ("HRKU-", 30, Token),
    ("sbp_", 36, Random),
    ("sb_secret_", 20, Token),
    ("vcp_", 20, Random),
    ("vci_", 20, Random),
    ("vca_", 20, Random),
    ("vcr_", 20, Random),
    ("vck_", 20, Random),
    ("nfp_", 30, Random),
    ("nfc_", 30, Random),
    ("nfo_", 30, Random),
    ("nfu_", 30, Random),
    ("nfb_", 30, Random),
    ("v1.0-", 100, Token),
    ("cfut_", 30, Token),
    ("cfat_", 30, Token),
    ("cfk_", 30, Random),
    ("rnd_", 24, Random),
    ("napi_", 30, Random),
    ("tskey-", 16, Token),
    ("hvs.", 20, Token),
    ("hvb.", 20, Token),
    ("hvr.", 20, Token),
    ("dp.pt.", 30, Token),
    ("dp.st.", 30, Token),
    ("dp.ct.", 30, Token),
    ("dp.sa.", 30, Token),
    ("dp.scim.", 30, Token),
    ("dp.audit.", 30, Token),
    ("pul-", 36, Hex),
    ("pscale_tkn_", 20, Token),
    ("pscale_pw_", 20, Token),
    ("pscale_oauth_", 20, Token),
    ("dapi", 32, Hex),
    ("ops_eyJ", 40, Token),
    ("A3-", 30, Random),
    // Code and packages.
    ("ghp_", 20, Token),
    ("gho_", 20, Token),
    ("ghu_", 20, Token),
    ("ghs_", 20, Token),
    ("ghr_", 20, Token),
    ("github_pat_", 20, Token),
    ("glpat-", 16, Token),
    ("gldt-", 16, Token),
    ("glrt-", 16, Token),
    ("glptt-", 16, Token),
    ("glft-", 16, Token),
    ("glcbt-", 16, Token),
    ("glsoat-", 16, Token),
    ("glagent-", 16, Token),
    ("GR1348941", 16, Token),
    ("npm_", 30, Random),
    ("pypi-AgE", 30, Token),
    ("pypi-", 40, Random),
    ("rubygems_", 40, Hex),
    ("CLOJARS_", 40, Token),
    ("dckr_pat_", 20, Token),
    ("dckr_oat_", 20, Token),
    ("ATATT3x", 30, Token),
    ("ATCTT3x", 30, Token),
    ("ATBB", 24, Random),
    ("ATTA", 40, Random),
    ("CCIPAT_", 20, Token),
    ("CCIPRJ_", 20, Token),
    ("bkua_", 30, Random),
    ("sgp_", 30, Random),
    ("sqp_", 36, Random),
    ("squ_", 36, Random),
    ("sqa_", 36, Random),
    ("figd_", 20, Token),
    ("PMAK-", 30, Token),
    ("oy2", 43, Random),
    // Messages and mail.
    ("xoxb-", 10, Token),
    ("xoxp-", 10, Token),
    ("xoxa-", 10, Token),
    ("xoxr-", 10, Token),
    ("xoxs-", 10, Token),
    ("xoxc-", 10, Token),
    ("xoxd-", 10, Token),
    ("xoxe-", 10, Token),
    ("xoxe.", 20, Token),
    ("xapp-", 10, Token),
    ("SG.", 20, Token),
    ("SK", 32, Hex),
    ("key-", 32, Hex),
    ("xkeysib-", 40, Token),
    ("xsmtpsib-", 40, Token),
    ("re_", 24, Random),
    ("mfa.", 60, Token),
    // Money and shops.
    ("sk_live_", 16, Token),
    ("sk_test_", 16, Token),
    ("rk_live_", 16, Token),
    ("rk_test_", 16, Token),
    ("whsec_", 16, Base64),
    ("shpat_", 32, Hex),
    ("shpca_", 32, Hex),
    ("shppa_", 32, Hex),
    ("shpss_", 32, Hex),
    ("sq0atp-", 20, Token),
    ("sq0csp-", 30, Token),
    ("EAAA", 56, Random),
    ("access_token$production$", 32, Base64),
    ("access_token$sandbox$", 32, Base64),
    ("EZAK", 40, Random),
    ("EZTK", 40, Random),
    ("FLWSECK-", 20, Token),
    ("FLWSECK_TEST-", 20, Token),
    ("xprv", 100, Random),
    // Models and search.
    ("sk-", 16, Random),
    ("sk_", 40, Hex),
    ("sess-", 30, Random),
    ("hf_", 30, Random),
    ("api_org_", 30, Random),
    ("gsk_", 20, Random),
    ("tvly-", 16, Random),
    ("r8_", 20, Random),
    ("pplx-", 20, Random),
    ("xai-", 40, Random),
    ("nvapi-", 30, Random),
    ("csk-", 30, Random),
    ("tgp_v1_", 20, Token),
    ("jina_", 30, Random),
    ("pcsk_", 30, Random),
    ("lsv2_pt_", 20, Token),
    ("lsv2_sk_", 20, Token),
    ("e2b_", 30, Hex),
    ("fc-", 32, Hex),
    ("fw_", 22, Random),
    // Memory services.
    ("hch-", 24, Token),
    ("m0-", 20, Random),
    ("sm_", 20, Random),
    ("mem0_", 20, Random),
    ("rdb_", 20, Random),
    ("retaindb_", 20, Random),
    ("hsk_", 20, Random),
    ("hsk-", 20, Random),
    ("brv_", 20, Random),
    ("brv-", 20, Random),
    // Work and watching.
    ("lin_api_", 20, Token),
    ("lin_oauth_", 20, Token),
    ("secret_", 32, Random),
    ("ntn_", 20, Random),
    ("pat-na1-", 30, Token),
    ("pat-eu1-", 30, Token),
    ("NRAK-", 20, Token),
    ("NRAA-", 20, Token),
    ("NRII-", 20, Token),
    ("NRJS-", 16, Token),
    ("sntrys_", 30, Base64),
    ("sntryu_", 30, Token),
    ("glsa_", 30, Token),
    ("glc_", 30, Base64),
    ("phx_", 30, Random),
    ("dt0c01.", 40, Token),
    ("tfp_", 40, Random),
    ("AGE-SECRET-KEY-1", 40, Upper),
];

/// The three bytes that a known token may begin with, folded into 16 bits: hardly a word is looked at twice.
static STARTS: [u64; 1 << 10] = {
    let mut starts = [0; 1 << 10];
    let mut at = 0;
    while at < SHAPES.len() {
        let start = SHAPES[at].0.as_bytes();
        // A beginning of two bytes goes on with any.
        let (mut third, last) = if start.len() == 2 { (0, u8::MAX) } else { (start[2], start[2]) };
        loop {
            let (word, bit) = place(start[0], start[1], third);
            starts[word] |= bit;
            if third == last {
                break;
            }
            third += 1;
        }
        at += 1;
    }
    let (word, bit) = place(b'e', b'y', b'J');
    starts[word] |= bit;
    starts
};

const fn place(first: u8, second: u8, third: u8) -> (usize, u64) {
    let index = ((first as usize) << 8 | second as usize) ^ (third as usize) << 4;
    (index >> 6 & 1023, 1 << (index & 63))
}

/// Whether a known token may begin with these bytes.
pub(super) fn may_begin(rest: &[u8]) -> bool {
    let &[first, second, third, ..] = rest else { return false };
    let (word, bit) = place(first, second, third);
    STARTS[word] & bit != 0
}

/// How long the token is that begins here.
pub(super) fn token(rest: &[u8]) -> Option<usize> {
    if rest.starts_with(b"eyJ") {
        return json_web_token(rest);
    }
    SHAPES.iter().filter(|(prefix, ..)| rest.starts_with(prefix.as_bytes())).find_map(|(prefix, least, tail)| {
        let len = tail_len(&rest[prefix.len()..], *least, *tail)?;
        Some(prefix.len() + len)
    })
}

/// How much of what follows a beginning is looked at to tell whether it is a token.
const JUDGED: usize = 512;
/// The most that the head of a JSON Web Token has.
const LONGEST_HEAD: usize = 2048;

fn tail_len(rest: &[u8], least: usize, tail: Tail) -> Option<usize> {
    let fits: fn(&u8) -> bool = match tail {
        Token => |byte| is_tail(byte) || *byte == b'.',
        Random => is_tail,
        Hex => u8::is_ascii_hexdigit,
        Upper => |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit(),
        Base64 => |byte| is_tail(byte) || matches!(byte, b'+' | b'/' | b'=' | b',' | b'$'),
    };
    // Judged by its beginning, so that a text of nothing but beginnings is still read in one pass.
    let mut len = rest.iter().take(JUDGED).take_while(|byte| fits(byte)).count();
    while matches!(tail, Token | Base64) && len > 0 && matches!(rest[len - 1], b'.' | b',') {
        len -= 1;
    }
    let found = &rest[..len];
    // Hexadecimal digits and capitals stop at a border of the word, or it is another thing that begins alike.
    let whole = !rest.get(len).is_some_and(is_tail);
    let is_random = match tail {
        Token | Base64 => is_mixed(found),
        Random => found.split(|byte| !byte.is_ascii_alphanumeric()).any(is_random_part),
        Hex | Upper => whole && found.iter().any(u8::is_ascii_digit),
    };
    if len < least || !is_random {
        return None;
    }
    let more = if len == JUDGED { rest[len..].iter().take_while(|byte| fits(byte)).count() } else { 0 };
    Some(len + more)
}

fn is_tail(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

fn is_mixed(text: &[u8]) -> bool {
    text.iter().any(u8::is_ascii_digit)
        || text.iter().any(u8::is_ascii_uppercase) && text.iter().any(u8::is_ascii_lowercase)
}

fn is_random_part(part: &[u8]) -> bool {
    part.len() >= 12 && part.iter().any(u8::is_ascii_digit) && part.iter().any(u8::is_ascii_alphabetic)
}

/// Three parts, the first two of them long. The last is empty where nothing is signed.
fn json_web_token(rest: &[u8]) -> Option<usize> {
    let mut len = 0;
    for (least, most) in [(8, LONGEST_HEAD), (8, usize::MAX), (0, usize::MAX)] {
        let part = &rest[len..];
        let end = part.iter().take(most).take_while(|byte| is_tail(byte) || **byte == b'=').count();
        if end < least || least > 0 && part.get(end) != Some(&b'.') {
            return None;
        }
        len += end + usize::from(least > 0);
    }
    Some(len)
}

/// A token that is known by its form alone, given the word that it begins with: a bot's of Telegram (`123456789:x`) or
/// Discord (`x.y.z`), a key of Mailchimp or Airtable.
pub(super) fn by_form(text: &[u8], word: &Range<usize>) -> Option<usize> {
    let (name, rest) = (&text[word.clone()], &text[word.end..]);
    let part = |from: &[u8]| from.iter().take_while(|byte| is_tail(byte)).count();
    match name.len() {
        // In an address, `bot` stands before it.
        8..=13 if rest.first() == Some(&b':') => {
            let digits = name.strip_prefix(b"bot").unwrap_or(name);
            let len = part(&rest[1..]);
            ((8..=10).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit) && len == 35)
                .then_some(name.len() + 1 + len)
        }
        23..=28 if matches!(name[0], b'M' | b'N' | b'O') && rest.first() == Some(&b'.') => {
            let second = part(&rest[1..]);
            let dot = rest.get(1 + second) == Some(&b'.');
            let third = rest.get(second + 2..).map_or(0, part);
            (second == 6 && dot && third >= 27).then_some(name.len() + second + third + 2)
        }
        17 if name.starts_with(b"pat") && rest.first() == Some(&b'.') => {
            let len = rest[1..].iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
            (len == 64).then_some(name.len() + 1 + len)
        }
        36..=37 if name[32..].starts_with(b"-us") => name[..32].iter().all(u8::is_ascii_hexdigit).then_some(name.len()),
        _ => None,
    }
}

/// How many token characters follow a beginning that a provider has declared, at least.
const DECLARED: usize = 8;

/// A token that begins as a provider says that those of its service do.
pub(super) fn declared(rest: &[u8], prefixes: &[String]) -> Option<usize> {
    let lens = prefixes.iter().filter_map(|prefix| {
        let tail = rest.strip_prefix(prefix.as_bytes())?;
        let len = tail.iter().take_while(|byte| is_tail(byte)).count();
        (len >= DECLARED).then_some(prefix.len() + len)
    });
    lens.max()
}

/// Whether tokens that begin so are none of what is [passed over](quiet).
pub(super) fn is_long_or_odd(prefix: &str) -> bool {
    prefix.bytes().any(quiet::is_loud)
        || prefix.len() + DECLARED >= quiet::SHORTEST && !prefix.bytes().any(quiet::ends_token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_token_is_passed_over() {
        for (prefix, least, _) in SHAPES {
            assert!(prefix.len() + least >= quiet::SHORTEST, "{prefix}");
            // What follows the space is long enough by itself.
            assert!(!prefix.contains(' ') || prefix.ends_with(' ') && *least >= quiet::SHORTEST, "{prefix}");
            assert!(!prefix.trim_end().bytes().any(quiet::ends_token), "{prefix}");
        }
    }
}
