//! A small server for tests: it answers each request with the next of its answers, and tells what was asked.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::thread::JoinHandle;

/// Its address, and what it was asked once all is answered: head and body of each request.
pub(crate) fn serve(answers: Vec<String>) -> (String, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let mut asked = Vec::new();
        for answer in answers {
            let (mut stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let (mut head, mut length) = (String::new(), 0);
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                if line == "\r\n" {
                    break;
                }
                head.push_str(&line);
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            asked.push(head + &String::from_utf8(body).unwrap());
            stream.write_all(answer.as_bytes()).unwrap();
        }
        asked
    });
    (address, server)
}

/// A whole answer; the head is its status and further lines.
pub(crate) fn answer(head: &str, body: &str) -> String {
    format!("HTTP/1.1 {head}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}
