//! A vector as it is kept: its numbers as bytes, and what a byte is worth.
//!
//! A model's numbers have some seven digits; of two texts that are alike or not, two digits tell as much.

/// How many numbers are kept, so that a fact's vector takes no more than 1 KiB with its scale. Models that give more put
/// what matters most first, or lose little.
const MOST: usize = 1020;
const SCALE_BYTES: usize = 4;
/// The largest byte.
const TOP: f32 = 127.0;

/// How many bytes a vector of so many numbers takes in the file.
pub(super) const fn blob_len(numbers: usize) -> usize {
    SCALE_BYTES + numbers
}

/// A vector of length one, in bytes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Vector {
    scale: f32,
    bytes: Vec<i8>,
}

impl Vector {
    /// Cut to [`MOST`] numbers and brought to length one. None for a vector without length.
    pub(crate) fn new(numbers: &[f32]) -> Option<Self> {
        let numbers = numbers.get(..MOST).unwrap_or(numbers);
        let length = numbers.iter().map(|number| number * number).sum::<f32>().sqrt();
        let largest = numbers.iter().fold(0.0_f32, |largest, number| largest.max(number.abs()));
        if !length.is_finite() || length <= f32::MIN_POSITIVE {
            return None;
        }
        #[expect(clippy::cast_possible_truncation, reason = "no number is larger than the largest")]
        let bytes = numbers.iter().map(|number| (number / largest * TOP).round() as i8).collect();
        Some(Self { scale: largest / length / TOP, bytes })
    }

    /// How many numbers it has.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// As it lies in the file.
    pub(crate) fn to_blob(&self) -> Vec<u8> {
        let numbers = self.bytes.iter().map(|byte| byte.cast_unsigned());
        self.scale.to_le_bytes().into_iter().chain(numbers).collect()
    }

    /// How alike it is to one that lies in the file, −1 to 1; None for one of another length.
    pub(crate) fn likeness(&self, blob: &[u8]) -> Option<f32> {
        let (scale, other) = blob.split_first_chunk::<SCALE_BYTES>()?;
        if other.len() != self.bytes.len() {
            return None;
        }
        let product = |(one, other): (&i8, &u8)| i32::from(*one) * i32::from(other.cast_signed());
        let sum: i32 = self.bytes.iter().zip(other).map(product).sum();
        #[expect(clippy::cast_precision_loss, reason = "two digits are kept of each number")]
        Some(sum as f32 * self.scale * f32::from_le_bytes(*scale))
    }
}

/// What a question means, by one model.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(super) model: String,
    pub(super) vector: Vector,
}

impl Question {
    /// None for a vector without length.
    pub(super) fn new(model: String, numbers: &[f32]) -> Option<Self> {
        Some(Self { model, vector: Vector::new(numbers)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn likeness(one: &[f32], other: &[f32]) -> f32 {
        Vector::new(one).unwrap().likeness(&Vector::new(other).unwrap().to_blob()).unwrap()
    }

    #[test]
    fn bytes_tell_what_numbers_do() {
        let one: Vec<f32> = (0..384).map(|at: u16| (f32::from(at) * 0.7).sin()).collect();
        let other: Vec<f32> = (0..384).map(|at: u16| (f32::from(at) * 0.7 + 0.5).sin() * 9.0).collect();
        assert!((likeness(&one, &one) - 1.0).abs() < 0.01);
        assert!((likeness(&one, &other) - 0.5_f32.cos()).abs() < 0.02, "{}", likeness(&one, &other));
        assert!((likeness(&[1.0, 0.0], &[-3.0, 0.0]) + 1.0).abs() < 0.01);
    }

    #[test]
    fn a_fact_takes_a_kilobyte_at_the_most() {
        let long = Vector::new(&vec![0.1; 3072]).unwrap();
        assert_eq!((long.len(), long.to_blob().len()), (1020, 1024));
        assert_eq!(Vector::new(&[0.0, 0.0]), None);
        assert_eq!(Vector::new(&[]), None);
        assert_eq!(long.likeness(&[0; 7]), None, "another model's");
        assert_eq!(long.likeness(&[]), None);
    }
}
