//! Passes over words that neither hold nor announce a secret, many at once: nearly all of most texts are such.
//!
//! What the scan finds needs a sign (`:`, `=`, `>`, also those that are not ASCII), an escape, a flag (`--password x`),
//! the words `Bearer` or `Basic` before a value with a digit, or a token, and no token is shorter than [`SHORTEST`]. Where
//! there is none of these, the scan would go from word to word and find nothing. What a word announces stands in the next
//! one or behind a sign, so the last two words before anything else are left to the scan.

/// So many bytes are looked at together: the bits of a mask.
const MANY: usize = 64;
/// No token is shorter, in bytes, nor has a space behind its beginning.
pub(super) const SHORTEST: usize = 15;

/// The bit of each byte of a kind.
fn bits(bytes: &[u8; MANY], is: impl Fn(u8) -> bool) -> u64 {
    let mut ones = [0_u8; MANY];
    ones.iter_mut().zip(bytes).for_each(|(one, byte)| *one = u8::from(is(*byte)));
    // Eight ones of eight bytes are moved together by one multiplication.
    let eights =
        ones.as_chunks().0.iter().map(|eight| u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56);
    eights.zip((0..MANY).step_by(8)).fold(0, |mask, (bits, at)| mask | bits << at)
}

/// Whether a byte is or begins a sign, or an escape, or is in names and no word.
pub(super) fn is_loud(byte: u8) -> bool {
    (byte == b':')
        | (byte == b'=')
        | (byte == b'>')
        | (byte == b'\\')
        | (byte == b'%')
        | (byte == b'_')
        | (byte == 0xC2)
        | (byte == 0xEF)
}

/// Whether no token has it. Other signs count as letters of one.
pub(super) fn ends_token(byte: u8) -> bool {
    (byte == b' ') | (byte == b'\n') | (byte == b'(') | (byte == b')') | (byte >= 0x80)
}

/// Where the scan may go on that is at the beginning of a word or text, `start`, behind a space or nothing. None when it
/// has to read what comes next itself.
pub(super) fn pass(bytes: &[u8], start: usize) -> Option<usize> {
    let many: &[u8; MANY] = bytes.get(start..)?.first_chunk()?;
    let spaces = bits(many, |byte| byte == b' ');
    let long = [1, 2, 4, 7].into_iter().fold(!bits(many, ends_token), |runs, by| runs & runs >> by);
    let mut loud = long | bits(many, is_loud);
    let dashes = bits(many, |byte| byte == b'-');
    if dashes != 0 {
        // A dash in a word is one more letter of it. The last byte is in a word that is not passed over.
        let letters = bits(many, |byte| byte.is_ascii_alphanumeric() | (byte >= 0x80));
        loud |= dashes & !(letters << 1 & (letters >> 1 | 1 << (MANY - 1)));
    }
    if bits(many, |byte| byte.is_ascii_digit()) != 0 {
        // The next letter of a word is no beginning of one.
        let letters = bits(many, |byte| byte.is_ascii_alphanumeric());
        let mut starts = bits(many, |byte| byte | 0x20 == b'b') & !(letters << 1);
        while let Some(last) = starts.checked_ilog2() {
            let bit = 1 << last;
            loud |= if names_scheme(&bytes[start + last as usize..]) { bit } else { 0 };
            starts ^= bit;
        }
    }
    let quiet = 1_u64.checked_shl(loud.trailing_zeros()).map_or(u64::MAX, |end| end - 1);
    let starts = spaces << 1 & !spaces & quiet;
    let last = 1_u64.checked_shl(starts.checked_ilog2()?)?;
    Some(start + (starts ^ last).checked_ilog2()? as usize)
}

/// `Bearer 1x`, `Basic 1x`.
fn names_scheme(rest: &[u8]) -> bool {
    ["bearer", "basic"]
        .iter()
        .any(|name| rest.get(..name.len()).is_some_and(|word| word.eq_ignore_ascii_case(name.as_bytes())))
}

/// How far to go before it is tried again where it did not help.
pub(super) const AGAIN: usize = MANY / 2;
