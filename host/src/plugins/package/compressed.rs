//! How an archive is compressed, told by its first bytes and never by its name: gzip or zstd.
//!
//! `ruzstd` and not the C library: this is the first code that reads what a stranger packed, and a mistake in it must
//! be an error, never a foreign hand in this process.

use std::fs::{self, File};
use std::io::{self, Cursor, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use crate::home::files::{At as _, FileError};

const GZIP: [u8; 2] = [0x1f, 0x8b];
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// How far back a frame may refer, and so about what reading it takes of memory: what `zstd` itself allows unless told
/// otherwise, and all that it writes without `--long=28` or more.
const LARGEST_WINDOW: u64 = 128 << 20;

/// The content of a compressed archive.
pub(super) fn decompressed<'a>(mut archive: impl Read + 'a) -> io::Result<Box<dyn Read + 'a>> {
    let head = head(&mut archive)?;
    let (gzip, zstd) = (head.starts_with(&GZIP), is_zstd(&head));
    let source = Cursor::new(head).chain(archive);
    match (gzip, zstd) {
        (true, _) => Ok(Box::new(MultiGzDecoder::new(source))),
        (_, true) => Ok(Box::new(Zstd::new(source))),
        _ => Err(io::Error::new(io::ErrorKind::InvalidData, "it is neither gzip nor zstd")),
    }
}

/// The first bytes, by which an archive is known.
pub(in crate::plugins) fn head(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    from.take(4).read_to_end(&mut head)?;
    Ok(head)
}

/// Whether a file is a compressed archive, by its first bytes. A folder is none, nor a pipe, which would be waited for
/// without end.
///
/// # Errors
/// When it cannot be read.
pub fn is_archive(path: &Path) -> Result<bool, FileError> {
    if !fs::metadata(path).at("read", path)?.is_file() {
        return Ok(false);
    }
    let head = File::open(path).and_then(|mut file| head(&mut file)).at("read", path)?;
    Ok(is_compressed(&head))
}

/// Whether these are the first bytes of a compressed archive.
pub(super) fn is_compressed(head: &[u8]) -> bool {
    head.starts_with(&GZIP) || is_zstd(head)
}

/// The ending of an archive's name that fits these first bytes.
#[must_use]
pub fn ending(head: &[u8]) -> &'static str {
    if is_zstd(head) { "tar.zst" } else { "tar.gz" }
}

/// A frame, or one that is to be skipped, as some tools write first.
fn is_zstd(head: &[u8]) -> bool {
    head.starts_with(&ZSTD) || matches!(head, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

/// All frames of a zstd file, one after the other.
struct Zstd<R> {
    source: R,
    decoder: FrameDecoder,
    in_frame: bool,
}

impl<R: Read> Zstd<R> {
    fn new(source: R) -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(LARGEST_WINDOW);
        Self { source, decoder, in_frame: false }
    }

    /// Goes on to the next frame, unless the file ends here.
    fn next_frame(&mut self) -> io::Result<bool> {
        let mut first = Vec::new();
        if self.source.by_ref().take(1).read_to_end(&mut first)? == 0 {
            return Ok(false);
        }
        match self.decoder.reset(Cursor::new(first).chain(&mut self.source)) {
            Ok(()) => self.in_frame = true,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                let length = u64::from(length);
                if io::copy(&mut self.source.by_ref().take(length), &mut io::sink())? != length {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
            Err(error) => return Err(damaged(&error)),
        }
        Ok(true)
    }

    /// Compares the checksum at the end of a frame, where there is one.
    fn end_frame(&mut self) -> io::Result<()> {
        self.in_frame = false;
        match self.decoder.get_checksum_from_data() {
            Some(written) if self.decoder.get_calculated_checksum() != Some(written) => {
                Err(io::Error::new(io::ErrorKind::InvalidData, "corrupt zstd frame: its checksum does not fit"))
            }
            _ => Ok(()),
        }
    }
}

impl<R: Read> Read for Zstd<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !buffer.is_empty() {
            if !self.in_frame {
                match self.next_frame()? {
                    true => continue,
                    false => return Ok(0),
                }
            }
            if self.decoder.can_collect() > 0 {
                return self.decoder.read(buffer);
            }
            if self.decoder.is_finished() {
                self.end_frame()?;
                continue;
            }
            // One block, at most 128 KiB of content: a frame that unpacks to more than it may ends in time.
            let decoded = self.decoder.decode_blocks(&mut self.source, BlockDecodingStrategy::UptoBlocks(1));
            decoded.map_err(|error| damaged(&error))?;
        }
        Ok(0)
    }
}

fn damaged(error: &FrameDecoderError) -> io::Error {
    let text = match error {
        FrameDecoderError::WindowSizeTooBig { requested, .. } => {
            format!(
                "its zstd window of {requested} bytes is larger than 128 MiB; pack it without `--long` or `--ultra`"
            )
        }
        _ => "corrupt or cut off zstd frame".to_owned(),
    };
    io::Error::new(io::ErrorKind::InvalidData, text)
}
