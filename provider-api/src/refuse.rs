//! How a mistake in a manifest is told: as one sentence of the compiler that quotes what was written.

/// The longest sentence. A part that does not fit is left out.
const MOST: usize = 512;

/// Stops the compiler, at the line of whoever called: the parts are joined to one sentence.
///
/// `panic!` in a constant takes a literal or one `&str`, hence the joining by hand. Called at run time, when somebody builds
/// a manifest that is no constant, it is an ordinary panic with the same sentence.
#[track_caller]
pub(crate) const fn refuse(sentence: &[&str]) -> ! {
    let (mut bytes, mut len, mut part) = ([0; MOST], 0, 0);
    while part < sentence.len() {
        let text = sentence[part].as_bytes();
        let mut at = 0;
        while at < text.len() && len + text.len() - at <= MOST {
            bytes[len] = text[at];
            len += 1;
            at += 1;
        }
        part += 1;
    }
    match std::str::from_utf8(bytes.split_at(len).0) {
        Ok(sentence) => panic!("{}", sentence),
        Err(_) => panic!("the manifest breaks a rule"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_told_whole_or_without_the_part_that_is_too_long() {
        let told = |sentence: &[&str]| {
            let panic = std::panic::catch_unwind(|| refuse(sentence)).unwrap_err();
            panic.downcast_ref::<String>().unwrap().clone()
        };
        assert_eq!(told(&["`", "имя", "` is no id"]), "`имя` is no id");
        assert_eq!(told(&["`", &"é".repeat(300), "` is no id"]), "`` is no id");
    }
}
