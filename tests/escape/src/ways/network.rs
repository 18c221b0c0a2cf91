//! Through sockets.

use std::net::{TcpListener, TcpStream, ToSocketAddrs as _, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixStream};

use libc::{AF_INET, AF_NETLINK, AF_PACKET, AF_VSOCK, SOCK_DGRAM, SOCK_RAW, SOCK_STREAM};

use super::{Way, got, text};
use crate::sys::{call, int};

pub(super) const WAYS: &[(&str, Way)] = &[
    ("connect", |p| opened(TcpStream::connect(("127.0.0.1", p.scene.tcp_port)))),
    ("listen", |_| opened(TcpListener::bind("127.0.0.1:0"))),
    ("send-datagram", |p| {
        opened(UdpSocket::bind("127.0.0.1:0").and_then(|own| own.send_to(b"out", ("127.0.0.1", p.scene.udp_port))))
    }),
    ("look-up-name", |_| {
        let found = "localhost:80".to_socket_addrs().map_err(text)?.count();
        if found == 0 { Err("nothing".to_owned()) } else { Ok(found.to_string()) }
    }),
    ("connect-to-unix-socket", |p| opened(UnixStream::connect(p.scene.sockets.join("stream")))),
    ("connect-to-abstract-socket", |p| {
        let name = SocketAddr::from_abstract_name(&p.scene.abstract_socket).map_err(text)?;
        opened(UnixStream::connect_addr(&name))
    }),
    ("send-from-pair-of-sockets", |p| {
        let (own, _other) = UnixDatagram::pair().map_err(text)?;
        opened(own.send_to(b"out", p.scene.sockets.join("datagram")))
    }),
    ("raw-socket", |_| socket(AF_INET, SOCK_RAW, libc::IPPROTO_ICMP)),
    ("packet-socket", |_| socket(AF_PACKET, SOCK_RAW, 0)),
    ("netlink-socket", |_| socket(AF_NETLINK, SOCK_RAW, libc::NETLINK_ROUTE)),
    ("virtual-machine-socket", |_| socket(AF_VSOCK, SOCK_STREAM, 0)),
    ("kernel-crypto-socket", |_| socket(libc::AF_ALG, libc::SOCK_SEQPACKET, 0)),
    ("pair-of-other-sockets", |_| {
        let pair = [0_i32; 2];
        got(call(libc::SYS_socketpair, &[int(libc::AF_TIPC), int(SOCK_DGRAM), 0, crate::sys::at(&pair)]))
    }),
];

fn opened<T>(result: std::io::Result<T>) -> Result<String, String> {
    result.map(|_| "open".to_owned()).map_err(text)
}

fn socket(family: i32, kind: i32, protocol: i32) -> Result<String, String> {
    got(call(libc::SYS_socket, &[int(family), int(kind), int(protocol)]))
}
