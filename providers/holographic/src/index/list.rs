//! Ascending numbers as bytes: each as its distance from the one before, seven bits to a byte, the lowest first.

/// Appends a number.
pub(super) fn push(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    bytes.push(number.to_le_bytes()[0]);
}

/// The first number, and the bytes behind it.
pub(super) fn pull(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut number = 0;
    for (at, byte) in bytes.iter().enumerate().take(9) {
        number |= u64::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            return Some((number, &bytes[at + 1..]));
        }
    }
    None
}

/// Ids as bytes. They ascend.
pub(super) fn encode(ids: &[i64]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(ids.len() + 4);
    let mut before = 0;
    for id in ids {
        push(&mut bytes, (id - before).cast_unsigned());
        before = *id;
    }
    bytes
}

/// Appends the ids to `ids`. None for bytes that hold no ascending ids.
pub(super) fn decode(bytes: &[u8], ids: &mut Vec<i64>) -> Option<()> {
    ids.reserve(bytes.len());
    let (mut id, mut at) = (0_i64, 0);
    while let Some(byte) = bytes.get(at) {
        // Most are near to each other.
        let distance = if byte & 0x80 == 0 {
            at += 1;
            i64::from(*byte)
        } else {
            let (distance, rest) = pull(&bytes[at..])?;
            at = bytes.len() - rest.len();
            i64::try_from(distance).ok()?
        };
        if distance == 0 {
            return None;
        }
        id = id.checked_add(distance)?;
        ids.push(id);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_come_out_as_they_were_put_in() {
        for ids in [&[][..], &[1], &[1, 2, 3], &[127, 128, 129, 16_511, 16_512], &[5, i64::from(u32::MAX), 1 << 55]] {
            let mut read = Vec::new();
            assert_eq!(decode(&encode(ids), &mut read), Some(()));
            assert_eq!(read, ids);
        }
    }

    #[test]
    fn damaged_bytes_are_told() {
        for damaged in [&[0][..], &[0x80], &[1, 0], &[0xff; 20], &[3, 0x81]] {
            assert_eq!(decode(damaged, &mut Vec::new()), None, "{damaged:?}");
        }
    }
}
