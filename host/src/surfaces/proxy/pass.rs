//! Everything else of the API: passed on to the model's server as it came, and back.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, Method, Response};
use futures_util::stream;

use super::reply;
use super::server::Proxy;
use super::upstream::{NoAnswer, passed_back};

/// Passes a request on. `path` is that behind `/v1`, with its query.
pub(super) async fn pass(
    proxy: &Arc<Proxy>,
    method: Method,
    path: &str,
    headers: &HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let response = match proxy.upstream.send(method, path, headers, body).await {
        Ok(response) => response,
        Err(error) => return reply::no_answer(&error),
    };
    let (status, headers) = (response.status(), passed_back(response.headers()));
    let from = (Arc::clone(proxy), response.into_body());
    let body = stream::try_unfold(from, |(proxy, mut body)| async move {
        let next = proxy.upstream.next(&mut body).await?;
        Ok::<_, NoAnswer>(next.map(|bytes| (bytes, (proxy, body))))
    });
    let mut answer = Response::new(Body::from_stream(body));
    (*answer.status_mut(), *answer.headers_mut()) = (status, headers);
    answer
}

/// Whether a path leads to the API and not beside it.
pub(super) fn is_plain(path: &str) -> bool {
    path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/-_.:".contains(&byte))
        && path.split('/').skip(1).all(|part| !part.is_empty() && !part.bytes().all(|byte| byte == b'.'))
}

#[cfg(test)]
mod tests {
    use super::is_plain;

    #[test]
    fn no_path_leads_out_of_the_api() {
        for path in ["/models", "/models/gpt-4.1:latest", "/embeddings", "/files/a_b"] {
            assert!(is_plain(path), "{path}");
        }
        for path in ["/../admin", "/a/./b", "//evil.example/x", "/%2e%2e/x", "/a/..", "/a b", "/@evil", "/"] {
            assert!(!is_plain(path), "{path}");
        }
    }
}
