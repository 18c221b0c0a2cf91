//! The smallest libraries of three formats that carry a section, made by hand: building real ones takes a compiler.

use hermes_provider_api::metadata::{FORMAT, MAGIC, Metadata, TARGET};

/// The metadata of a plugin that fits this host.
pub(crate) fn metadata(id: &str, version: &str) -> Metadata {
    Metadata {
        id: id.to_owned(),
        title: id.to_owned(),
        version: version.to_owned(),
        abi_major: 1,
        requires_host: "*".to_owned(),
        target: TARGET.to_owned(),
        panic: "unwind".to_owned(),
        interfaces: vec!["hermes.core/1".to_owned()],
        ..Metadata::default()
    }
}

/// A section as the export macro writes it.
pub(crate) fn section(metadata: &Metadata) -> Vec<u8> {
    let json = serde_json::to_vec(metadata).unwrap();
    [MAGIC.as_slice(), &FORMAT.to_le_bytes(), &u32::try_from(json.len()).unwrap().to_le_bytes(), &json].concat()
}

/// Little-endian bytes, put together one number after the other.
#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn u16(mut self, numbers: &[u16]) -> Self {
        numbers.iter().for_each(|number| self.0.extend(number.to_le_bytes()));
        self
    }

    fn u32(mut self, numbers: &[u32]) -> Self {
        numbers.iter().for_each(|number| self.0.extend(number.to_le_bytes()));
        self
    }

    fn u64(mut self, numbers: &[u64]) -> Self {
        numbers.iter().for_each(|number| self.0.extend(number.to_le_bytes()));
        self
    }

    fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.extend(bytes);
        self
    }

    fn name(self, name: &str, len: usize) -> Self {
        let mut padded = name.as_bytes().to_vec();
        padded.resize(len, 0);
        self.bytes(&padded)
    }
}

fn len(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len()).unwrap()
}

/// An ELF library for x86-64 with one section of this name beside the table of names.
pub(crate) fn elf(name: &str, data: &[u8]) -> Vec<u8> {
    let names = format!("\0{name}\0.shstrtab\0");
    let names_at = 64 + data.len() as u64;
    let headers_at = names_at + names.len() as u64;
    let section = |name: u32, kind: u32, at: u64, len: u64| {
        Bytes::default().u32(&[name, kind]).u64(&[0, 0, at, len]).u32(&[0, 0]).u64(&[1, 0]).0
    };
    Bytes::default()
        .bytes(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0")
        .u16(&[3, 62])
        .u32(&[1])
        .u64(&[0, 0, headers_at])
        .u32(&[0])
        .u16(&[64, 56, 0, 64, 3, 2])
        .bytes(data)
        .bytes(names.as_bytes())
        .bytes(&[0; 64])
        .bytes(&section(1, 1, 64, data.len() as u64))
        .bytes(&section(2 + len(name.as_bytes()), 3, names_at, names.len() as u64))
        .0
}

/// A Mach-O library for arm64 with one section in a segment.
pub(crate) fn mach_o(segment: &str, name: &str, data: &[u8]) -> Vec<u8> {
    let at = 32 + 72 + 80;
    Bytes::default()
        .u32(&[0xfeed_facf, 0x0100_000c, 0, 6, 1, 72 + 80, 0, 0])
        .u32(&[0x19, 72 + 80])
        .name(segment, 16)
        .u64(&[0, data.len() as u64, u64::from(at), data.len() as u64])
        .u32(&[3, 3, 1, 0])
        .name(name, 16)
        .name(segment, 16)
        .u64(&[0, data.len() as u64])
        .u32(&[at, 0, 0, 0, 0, 0, 0, 0])
        .bytes(data)
        .0
}

/// A Windows library for x86-64 with one section.
pub(crate) fn pe(name: &str, data: &[u8]) -> Vec<u8> {
    let at = 64 + 4 + 20 + 112 + 40;
    let dll_and_executable = 0x2002;
    Bytes::default()
        .bytes(b"MZ")
        .bytes(&[0; 58])
        .u32(&[64])
        .bytes(b"PE\0\0")
        .u16(&[0x8664, 1])
        .u32(&[0, 0, 0])
        .u16(&[112, dll_and_executable, 0x20b])
        .bytes(&[0; 22])
        .u64(&[0x1_8000_0000])
        .u32(&[0x1000, 0x200])
        .bytes(&[0; 72])
        .name(name, 8)
        .u32(&[len(data), 0x1000, len(data), at, 0, 0, 0, 0x4000_0040])
        .bytes(data)
        .0
}
