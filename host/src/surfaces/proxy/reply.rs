//! Answers of the proxy itself, in the form in which OpenAI's API says what is wrong.

use axum::body::{Body, Bytes};
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode};
use serde_json::{Value, json};

use super::upstream::NoAnswer;
use crate::surfaces::guard::Refused;

/// What is wrong with a request, and who is to blame.
pub(super) fn wrong(status: StatusCode, kind: &str, message: &str) -> Response<Body> {
    json(status, &error(kind, message))
}

/// The body of an error.
pub(super) fn error(kind: &str, message: &str) -> Value {
    json!({"error": {"message": message, "type": kind, "param": null, "code": null}})
}

pub(super) fn refused(refused: Refused) -> Response<Body> {
    wrong(refused.status(), "invalid_request_error", &refused.to_string())
}

/// The model's server does not answer.
pub(super) fn no_answer(failed: &NoAnswer) -> Response<Body> {
    let status = match failed {
        NoAnswer::Silent { .. } => StatusCode::GATEWAY_TIMEOUT,
        NoAnswer::Address { .. } => StatusCode::BAD_REQUEST,
        _ => StatusCode::BAD_GATEWAY,
    };
    wrong(status, "upstream_error", &failed.to_string())
}

/// The server is ending.
pub(super) fn ending() -> Response<Body> {
    let mut response = wrong(StatusCode::SERVICE_UNAVAILABLE, "server_error", "the proxy is shutting down");
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

pub(super) fn json(status: StatusCode, value: &Value) -> Response<Body> {
    let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
    whole(status, headers, value.to_string().into())
}

pub(super) fn whole(status: StatusCode, headers: HeaderMap, bytes: Bytes) -> Response<Body> {
    let mut response = Response::new(Body::from(bytes));
    (*response.status_mut(), *response.headers_mut()) = (status, headers);
    response
}
