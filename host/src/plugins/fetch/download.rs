//! Downloading one archive: no more than the catalog says it has, going on where an earlier try ended.

use std::io::{self, Read as _};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use ureq::http::header::{CONTENT_LENGTH, CONTENT_RANGE, ETAG, IF_RANGE, RANGE, RETRY_AFTER};
use ureq::http::{HeaderMap, HeaderName, Request, Response};
use ureq::{Agent, Body, Timeout};

use super::part::Part;
use super::{FetchError, Step};
use crate::net::{Network, host, shown};
use crate::plugins::catalog::{Artifact, Sha256Hex};

const MOST_REDIRECTS: u32 = 5;
/// How often in a row nothing comes before it is given up.
const MOST_TRIES: u32 = 5;
const FIRST_PAUSE: Duration = Duration::from_millis(250);
/// A server that asks for a longer pause is taken at its word: the user decides when to come back.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// So much makes a try count as none that failed.
const PROGRESS: u64 = 64 << 10;
/// So much has to come within so many times the time that nothing may come: a server that sends a byte now and then
/// would be listened to without end.
const SLOWEST: u32 = 4;

const UNKNOWN_HOST: &str = "the host cannot be found";
const NETWORK: &str = "check the network and the proxy (`HTTPS_PROXY`), or use a mirror with `--catalog`";
const KEPT: &str = "the next try goes on where this one ended";
const SERVER: &str = "the server does not do what a server should; use a mirror of it with `--catalog`";
const CATALOG: &str = "the catalog is wrong there; fetch it anew, or tell whoever keeps it";
const UNTRUSTED: &str = "if it is a server of your own, name the certificate that signs for it with `SSL_CERT_FILE`";

/// What is downloaded, and how patiently.
pub(super) struct Download<'a> {
    pub(super) url: &'a str,
    pub(super) artifact: &'a Artifact,
    /// How long nothing may come.
    pub(super) idle: Duration,
    pub(super) step: &'a dyn Fn(Step<'_>),
}

/// Why a try ended before the archive was whole.
enum Trouble {
    /// Trying again is of no use.
    Final(FetchError),
    /// It may be over soon; if not, this is why.
    Passing { reason: String, pause: Option<Duration>, error: FetchError },
}

impl<E: Into<FetchError>> From<E> for Trouble {
    fn from(error: E) -> Self {
        Self::Final(error.into())
    }
}

impl Download<'_> {
    /// Downloads to `part`, and moves it to `place` once it is what the catalog means.
    pub(super) fn run(&self, part: &Path, place: &Path) -> Result<(), FetchError> {
        let config = Network::of_process()?.agent("https");
        let agent: Agent = config
            .https_only(true)
            .max_redirects(MOST_REDIRECTS)
            .timeout_recv_response(Some(self.idle))
            .timeout_per_read(Some(self.idle))
            .build()
            .into();
        let mut part = Part::open(part)?;
        if part.len() > self.artifact.size {
            part.restart(None)?;
        }
        let mut found = self.fill(&agent, &mut part);
        if part.pieced && found.as_ref().is_ok_and(|found| *found != self.artifact.sha256) {
            // The file may have changed on the server between the pieces. Once, for it may also be wrong as a whole.
            part.restart(None)?;
            found = self.fill(&agent, &mut part);
        }
        match found {
            Ok(found) if found == self.artifact.sha256 => Ok(part.finish(place)?),
            Ok(found) => {
                part.discard()?;
                Err(self.wrong(format!("the sha256 {found}"), self.artifact.sha256.to_string()))
            }
            Err(error) => {
                if part.len() == 0 {
                    part.discard()?;
                }
                Err(error)
            }
        }
    }

    /// Tries until the part has its full length, and answers its hash.
    fn fill(&self, agent: &Agent, part: &mut Part) -> Result<Sha256Hex, FetchError> {
        let (mut tries, mut pause) = (0, FIRST_PAUSE);
        // Only what was never there before counts: a server may have the same beginning fetched again and again.
        let mut most = part.len();
        while part.len() < self.artifact.size {
            let (reason, asked, error) = match self.attempt(agent, part) {
                Ok(()) => continue,
                Err(Trouble::Final(error)) => return Err(error),
                Err(Trouble::Passing { reason, pause, error }) => (reason, pause, error),
            };
            if part.len() >= most.saturating_add(PROGRESS) {
                (tries, pause, most) = (0, FIRST_PAUSE, part.len());
            }
            tries += 1;
            if tries == MOST_TRIES {
                return Err(error);
            }
            let wait = asked.unwrap_or(pause);
            (self.step)(Step::Waits { host: &host(self.url), reason: &reason, pause: wait });
            sleep(wait);
            pause *= 2;
        }
        Ok(part.sha256())
    }

    fn attempt(&self, agent: &Agent, part: &mut Part) -> Result<(), Trouble> {
        let mut request = Request::get(self.url);
        if part.len() > 0 {
            request = request.header(RANGE, format!("bytes={}-", part.len()));
            if let Some(tag) = part.tag() {
                request = request.header(IF_RANGE, tag);
            }
        }
        let request = request.body(()).map_err(|_| self.unreachable("the address is not valid", CATALOG))?;
        let response = agent.run(request).map_err(|error| self.failed(&error))?;
        let headers = response.headers();
        let length = text(headers, CONTENT_LENGTH).and_then(|length| length.parse::<u64>().ok());
        match response.status().as_u16() {
            // Whatever it is, what is there already is worth more.
            200 if length.is_some_and(|length| length != self.artifact.size) => {
                return Err(self.wrong_size(length.unwrap_or_default()).into());
            }
            200 => part.restart(text(headers, ETAG))?,
            206 => {
                let Some((start, total)) = text(headers, CONTENT_RANGE).and_then(content_range) else {
                    return Err(self.unreachable("the server sends a part without saying which", SERVER).into());
                };
                if total.is_some_and(|total| total != self.artifact.size) {
                    return Err(self.wrong_size(total.unwrap_or_default()).into());
                }
                if start != part.len() {
                    part.restart(None)?;
                    return Err(self.passing("it sends another part than asked for"));
                }
                part.pieced = true;
            }
            416 => {
                part.restart(None)?;
                return Err(self.passing("it has no such part"));
            }
            _ => return Err(self.refused(&response)),
        }
        self.receive(response.into_body(), part)
    }

    fn receive(&self, body: Body, part: &mut Part) -> Result<(), Trouble> {
        let mut body = body.into_reader();
        let mut buffer = vec![0; 1 << 16];
        let (mut since, mut mark) = (Instant::now(), part.len());
        (self.step)(Step::At(part.len()));
        loop {
            let read = match body.read(&mut buffer) {
                Ok(0) if part.len() == self.artifact.size => return Ok(()),
                Ok(0) => return Err(self.passing("the connection was closed too early")),
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.passing(&broken(&ureq::Error::from(error)))),
            };
            let room = self.artifact.size - part.len();
            if read as u64 > room {
                part.restart(None)?;
                let found = format!("more than {} bytes", self.artifact.size);
                return Err(self.wrong(found, format!("{} bytes", self.artifact.size)).into());
            }
            part.push(&buffer[..read])?;
            (self.step)(Step::At(part.len()));
            if part.len() >= mark.saturating_add(PROGRESS) {
                (since, mark) = (Instant::now(), part.len());
            } else if part.len() < self.artifact.size && since.elapsed() > self.idle.saturating_mul(SLOWEST) {
                return Err(self.passing("it sends too slowly"));
            }
        }
    }

    /// A status that is no archive.
    fn refused(&self, response: &Response<Body>) -> Trouble {
        let status = response.status();
        let after = text(response.headers(), RETRY_AFTER).and_then(|text| text.trim().parse().ok());
        let pause = after.map(Duration::from_secs);
        let passing = matches!(status.as_u16(), 408 | 429 | 500 | 502 | 503 | 504);
        let asks = match pause {
            Some(pause) if passing => format!(" and asks to wait {} s", pause.as_secs()),
            _ => String::new(),
        };
        let (url, host) = (shown(self.url), host(self.url));
        let error = FetchError::Status { url, host, status: status.as_u16(), asks };
        match passing && pause.is_none_or(|pause| pause <= LONGEST_PAUSE) {
            true => Trouble::Passing { reason: format!("it answered {}", status.as_u16()), pause, error },
            false => Trouble::Final(error),
        }
    }

    /// No answer at all.
    fn failed(&self, error: &ureq::Error) -> Trouble {
        use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, TimedOut, UnexpectedEof};
        let passing_kinds = [BrokenPipe, ConnectionAborted, ConnectionReset, TimedOut, UnexpectedEof];
        let reason = broken(error);
        let hint = match error {
            // Waited for long enough: whoever is not there now is not there in a second.
            ureq::Error::Timeout(Timeout::Resolve | Timeout::Connect) => NETWORK,
            ureq::Error::Timeout(_) => return self.passing(&reason),
            ureq::Error::Io(error) if passing_kinds.contains(&error.kind()) => return self.passing(&reason),
            ureq::Error::RequireHttpsOnly(_) | ureq::Error::TooManyRedirects | ureq::Error::Protocol(_) => SERVER,
            ureq::Error::BadUri(_) => CATALOG,
            _ if reason.contains("invalid peer certificate") => UNTRUSTED,
            _ => NETWORK,
        };
        Trouble::Final(self.unreachable(&reason, hint))
    }

    fn passing(&self, reason: &str) -> Trouble {
        Trouble::Passing { reason: reason.to_owned(), pause: None, error: self.unreachable(reason, KEPT) }
    }

    fn unreachable(&self, reason: &str, hint: &'static str) -> FetchError {
        FetchError::Unreachable { url: shown(self.url), reason: reason.to_owned(), hint }
    }

    fn wrong_size(&self, found: u64) -> FetchError {
        self.wrong(format!("{found} bytes"), format!("{} bytes", self.artifact.size))
    }

    fn wrong(&self, found: String, expected: String) -> FetchError {
        FetchError::WrongArchive { from: shown(self.url), found, expected }
    }
}

/// What went wrong, without an address: it may hold credentials.
fn broken(error: &ureq::Error) -> String {
    match error {
        ureq::Error::RequireHttpsOnly(target) => {
            format!("the server sends to `{}`, which is not encrypted", shown(target))
        }
        ureq::Error::TooManyRedirects => format!("the server redirects more than {MOST_REDIRECTS} times"),
        ureq::Error::BadUri(_) => "the address is not valid".to_owned(),
        // Its text may quote where the server sends to.
        ureq::Error::Protocol(_) => "its answer is not valid HTTP".to_owned(),
        ureq::Error::HostNotFound => UNKNOWN_HOST.to_owned(),
        ureq::Error::Timeout(Timeout::Resolve | Timeout::Connect) => "nobody answers there".to_owned(),
        ureq::Error::Timeout(_) => "nothing came for too long".to_owned(),
        ureq::Error::ConnectProxyFailed(_) => "the proxy does not let it through".to_owned(),
        ureq::Error::Io(error) if error.kind() == io::ErrorKind::UnexpectedEof => "the connection broke".to_owned(),
        // The system has many words for it, and none for a lookup as a kind of error.
        ureq::Error::Io(error) if error.to_string().starts_with("failed to lookup") => UNKNOWN_HOST.to_owned(),
        ureq::Error::Io(error) => error.to_string(),
        other => other.to_string(),
    }
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

/// `bytes 5-9/10` as where it starts and how long the whole is, if that is said.
fn content_range(text: &str) -> Option<(u64, Option<u64>)> {
    let (range, total) = text.trim().strip_prefix("bytes ")?.split_once('/')?;
    let (start, _) = range.split_once('-')?;
    Some((start.trim().parse().ok()?, total.trim().parse().ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn which_part_a_server_sends() {
        assert_eq!(content_range("bytes 5-9/10"), Some((5, Some(10))));
        assert_eq!(content_range("bytes 5-9/*"), Some((5, None)));
        for bad in ["", "bytes */10", "items 5-9/10", "bytes 5", "bytes -5-9/10"] {
            assert_eq!(content_range(bad), None, "{bad}");
        }
    }
}
