//! Ascending numbers as bytes: each as its distance from the one before, seven bits to a byte, the lowest first.

/// Ids as bytes. They ascend and are above 0.
pub(super) fn encode(ids: &[i64]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(2 * ids.len() + 4);
    let mut before = 0;
    for id in ids {
        let mut distance = id.wrapping_sub(before).cast_unsigned();
        while distance >= 0x80 {
            bytes.push(distance.to_le_bytes()[0] | 0x80);
            distance >>= 7;
        }
        bytes.push(distance.to_le_bytes()[0]);
        before = *id;
    }
    bytes
}

/// Appends the ids to `ids`. None for bytes that hold no ascending ids.
pub(super) fn decode(bytes: &[u8], ids: &mut Vec<i64>) -> Option<()> {
    let (mut id, mut distance, mut shift) = (0_i64, 0_u64, 0_u32);
    for byte in bytes {
        distance |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            id = id.checked_add(i64::try_from(distance).ok().filter(|distance| *distance > 0)?)?;
            ids.push(id);
            (distance, shift) = (0, 0);
        } else {
            shift += 7;
        }
    }
    (shift == 0).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_out_as_they_went_in() {
        for ids in [&[][..], &[1], &[1, 2, 300, 1 << 40, i64::MAX]] {
            let mut found = Vec::new();
            decode(&encode(ids), &mut found).unwrap();
            assert_eq!(found, ids);
        }
        for damaged in [&[0x80][..], &[0], &[5, 0], &[0xff; 12]] {
            assert_eq!(decode(damaged, &mut Vec::new()), None, "{damaged:?}");
        }
    }
}
