//! Frames between the host and a worker: `u32` length (little-endian, of what follows), `u8` kind, `u32` id, payload.
//!
//! The payload is JSON, but for a reply: that carries the provider's bytes as they are, and the host judges them.

use std::io::{self, Read, Write};

use hermes_provider_api::metadata::Metadata;
use hermes_provider_api::records::OpenRequest;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::instance::MAX_REPLY;
use super::sandbox::Confine;

/// The protocol. Both sides name theirs in the first frame.
pub(super) const PROTOCOL: u32 = 1;

/// The first word of the first frame of each side.
pub(super) const MAGIC: &str = "hermes-worker";

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The first frame of each side: [`Hello`] from the host, [`Welcome`] from the worker.
    Hello = 1,
    /// A hook: [`Call`].
    Call = 2,
    /// The answer of a hook or service.
    Reply = 3,
    /// A [`Fault`](super::Fault) of a hook, or the error of a service.
    Error = 4,
    /// A host service: [`ServiceCall`].
    Service = 5,
    /// Stop the call with this id. No payload.
    Cancel = 6,
    /// Drop the provider, answer, and end. No payload.
    Goodbye = 7,
}

impl Kind {
    fn from_byte(byte: u8) -> Option<Self> {
        [Self::Hello, Self::Call, Self::Reply, Self::Error, Self::Service, Self::Cancel, Self::Goodbye]
            .into_iter()
            .find(|kind| *kind as u8 == byte)
    }
}

/// One frame. The kind is kept as a byte: an unknown one is answered, not refused.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) kind: Option<Kind>,
    pub(super) id: u32,
    pub(super) payload: Vec<u8>,
}

/// What the host says first.
#[derive(Serialize, Deserialize)]
pub(super) struct Hello {
    pub(super) magic: String,
    pub(super) protocol: u32,
    /// Optional parts of the protocol that this side has; unknown ones are ignored.
    #[serde(default)]
    pub(super) features: Vec<String>,
    pub(super) library: std::path::PathBuf,
    pub(super) sha256: String,
    pub(super) metadata: Metadata,
    pub(super) open: OpenRequest,
    /// The provider's own folder.
    pub(super) data: std::path::PathBuf,
    pub(super) confine: Confine,
}

/// What the worker says once the provider is open.
#[derive(Serialize, Deserialize)]
pub(super) struct Welcome {
    pub(super) magic: String,
    pub(super) protocol: u32,
    #[serde(default)]
    pub(super) features: Vec<String>,
}

/// A hook call.
#[derive(Serialize, Deserialize)]
pub(super) struct Call<'a> {
    pub(super) hook: String,
    pub(super) limit_ms: u64,
    #[serde(borrow)]
    pub(super) request: Option<&'a RawValue>,
}

/// A call of a host service.
#[derive(Serialize, Deserialize)]
pub(super) struct ServiceCall<'a> {
    pub(super) service: String,
    pub(super) method: String,
    #[serde(borrow)]
    pub(super) request: &'a RawValue,
}

/// How many bytes stand before a payload.
pub(super) const HEAD: usize = 9;

/// The bytes of a frame.
pub(super) fn encode(kind: Kind, id: u32, payload: &[u8]) -> Vec<u8> {
    framed(kind, id, payload.len(), |frame| frame.extend_from_slice(payload))
}

/// The bytes of a frame whose payload is a record.
pub(super) fn encode_record(kind: Kind, id: u32, payload: &impl Serialize) -> Vec<u8> {
    framed(kind, id, 0, |frame| {
        if serde_json::to_writer(&mut *frame, payload).is_err() {
            frame.truncate(HEAD);
        }
    })
}

/// A frame around a payload of at least so many bytes.
fn framed(kind: Kind, id: u32, least: usize, put: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut frame = Vec::with_capacity(HEAD + least);
    frame.extend_from_slice(&[0; 4]);
    frame.push(kind as u8);
    frame.extend_from_slice(&id.to_le_bytes());
    put(&mut frame);
    let len = u32::try_from(frame.len() - 4).unwrap_or(u32::MAX);
    frame[..4].copy_from_slice(&len.to_le_bytes());
    frame
}

/// How much is read from a pipe at once: what it holds.
pub(super) const BUFFER: usize = 64 << 10;

/// Writes a frame as a whole.
pub(super) fn send(to: &mut impl Write, frame: &[u8]) -> io::Result<()> {
    to.write_all(frame)?;
    to.flush()
}

/// Reads the next frame; None at a clean end.
///
/// # Errors
/// When the pipe breaks within a frame, or a frame is longer than is allowed.
pub(super) fn receive(from: &mut impl Read) -> io::Result<Option<Frame>> {
    let mut len = [0; 4];
    if let Err(error) = from.read_exact(&mut len) {
        return if error.kind() == io::ErrorKind::UnexpectedEof { Ok(None) } else { Err(error) };
    }
    let len = u32::from_le_bytes(len) as usize;
    if !(5..=MAX_REPLY + 5).contains(&len) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("a frame of {len} bytes")));
    }
    let mut head = [0; 5];
    from.read_exact(&mut head)?;
    let [kind, id @ ..] = head;
    // Grows as bytes arrive, so that a length alone reserves little.
    let wanted = len - 5;
    let mut payload = Vec::with_capacity(wanted.min(BUFFER));
    from.by_ref().take(wanted as u64).read_to_end(&mut payload)?;
    if payload.len() < wanted {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Some(Frame { kind: Kind::from_byte(kind), id: u32::from_le_bytes(id), payload }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_back() {
        let mut pipe = encode(Kind::Call, 7, "да".as_bytes());
        pipe.extend(encode(Kind::Goodbye, 8, b""));
        let mut pipe = pipe.as_slice();
        let first = receive(&mut pipe).unwrap().unwrap();
        assert_eq!((first.kind, first.id, first.payload.as_slice()), (Some(Kind::Call), 7, "да".as_bytes()));
        assert_eq!(receive(&mut pipe).unwrap().unwrap().kind, Some(Kind::Goodbye));
        assert!(receive(&mut pipe).unwrap().is_none());
    }

    #[test]
    fn broken_frames_are_errors_and_unknown_kinds_are_not() {
        let kind = |bytes: &[u8]| receive(&mut &*bytes).map_err(|error| error.kind());
        assert_eq!(kind(&[0, 0, 0, 0, 0]).unwrap_err(), io::ErrorKind::InvalidData);
        assert_eq!(kind(&[0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0]).unwrap_err(), io::ErrorKind::InvalidData);
        assert_eq!(kind(&[9, 0, 0, 0, 2, 0, 0, 0, 0, b'{']).unwrap_err(), io::ErrorKind::UnexpectedEof);
        let unknown = kind(&[5, 0, 0, 0, 200, 3, 0, 0, 0]).unwrap().unwrap();
        assert_eq!((unknown.kind, unknown.id), (None, 3));
    }
}
