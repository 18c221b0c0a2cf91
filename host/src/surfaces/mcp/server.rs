//! The server as the SDK sees it: who asks, what for, and on which thread it is done.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode, ErrorData, Implementation,
    InitializeRequestParams, InitializeResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource, ResourceContents,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::{NotificationContext, Peer, RequestContext, RoleServer};
use serde_json::json;
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;

use super::connection::Connection;
use super::reply::Reply;
use super::who::{self, Who};
use super::{args, tools};
use crate::error::Failure;
use crate::secrets::Mask;

/// How many requests are at work at once; more of them wait.
pub(super) const JOBS: usize = 64;
/// How long a request waits for the memory to be opened, which may have to install a provider.
const OPENING: Duration = Duration::from_secs(20);
/// How long a client may take to name its roots.
const ROOTS: Duration = Duration::from_secs(3);
const STATUS: &str = "hermes://status";
const SYSTEM_PROMPT: &str = "hermes://system-prompt";

/// The memory, once it is open, or why it cannot be.
pub(super) type Opened = watch::Receiver<Option<Result<Arc<Connection>, Failure>>>;

/// The requests that are at work.
#[derive(Clone)]
pub(super) struct Jobs(Arc<Semaphore>);

impl Default for Jobs {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(JOBS)))
    }
}

impl Jobs {
    /// Waits until all are done, and lets no other begin.
    pub(super) async fn finished(&self, limit: Duration) {
        let all = u32::try_from(JOBS).expect("it is a small number");
        if let Ok(Ok(all)) = timeout(limit, self.0.acquire_many(all)).await {
            all.forget();
        }
        self.0.close();
    }
}

/// Answers one client.
pub(super) struct Server {
    opened: Opened,
    jobs: Jobs,
    /// The project of the client; None while it is asked for.
    project: watch::Sender<Option<String>>,
    /// How often it was asked for.
    questions: AtomicU64,
}

impl Server {
    pub(super) fn new(opened: Opened, jobs: Jobs) -> Self {
        Self { opened, jobs, project: watch::Sender::new(Some(String::new())), questions: AtomicU64::new(0) }
    }

    /// Does something with the memory that may wait. An error is one of ours, and not the provider's.
    async fn work<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        job: impl FnOnce(&Connection) -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let work = async {
            let connection = self.connection().await?;
            let who = self.who(context).await;
            let permit = Arc::clone(&self.jobs.0).acquire_owned().await;
            let permit = permit.map_err(|_| Failure::new("the server is shutting down"))?;
            let done = tokio::task::spawn_blocking(move || {
                let _permit = permit;
                connection.spoken_by(who);
                job(&connection)
            });
            done.await.map_err(|error| Failure::new(format!("hermes itself failed here: {error}")))
        };
        tokio::select! {
            done = work => done,
            // What has begun is done to its end, and nobody waits for the answer.
            () = context.ct.cancelled() => Err(Failure::new("cancelled")),
        }
    }

    async fn connection(&self) -> Result<Arc<Connection>, Failure> {
        let mut opened = self.opened.clone();
        match timeout(OPENING, opened.wait_for(Option::is_some)).await {
            Ok(Ok(opened)) => opened.clone().unwrap_or_else(|| Err(Failure::new("the memory is not open"))),
            Ok(Err(_)) => Err(Failure::new("hermes itself failed when the memory was opened")),
            Err(_) => Err(Failure::new("the memory is still being opened").hint("try again in a moment")),
        }
    }

    /// For errors of our own, in which a cause may stand; nothing is known before the memory is open.
    fn mask(&self) -> Mask {
        match &*self.opened.borrow() {
            Some(Ok(connection)) => connection.mask().clone(),
            _ => Mask::default(),
        }
    }

    async fn who(&self, context: &RequestContext<RoleServer>) -> Who {
        let client = context.client_info().map(|client| client.name).unwrap_or_default();
        let mut project = self.project.subscribe();
        if timeout(ROOTS, project.wait_for(Option::is_some)).await.is_err() {
            // A client that does not answer is waited for once. It may have answered at this very moment.
            self.project.send_if_modified(|project| {
                let unknown = project.is_none();
                project.get_or_insert_default();
                unknown
            });
        }
        let project = self.project.borrow().clone();
        Who { platform: who::platform(&client), project: project.unwrap_or_default() }
    }

    /// Asks for the roots of a client that has some.
    async fn ask_roots(&self, peer: &Peer<RoleServer>) {
        let question = self.questions.fetch_add(1, Ordering::Relaxed);
        self.project.send_replace(None);
        let first = timeout(ROOTS, first_root(peer)).await.unwrap_or_default();
        // The answer to an earlier question may come last, and is older all the same.
        if self.questions.load(Ordering::Relaxed) == question + 1 {
            self.project.send_replace(Some(first.map(|uri| who::project(&uri)).unwrap_or_default()));
        }
    }
}

/// The address of the client's first root.
#[expect(deprecated, reason = "the newest protocol has no roots, and most clients speak an older one")]
async fn first_root(peer: &Peer<RoleServer>) -> Option<String> {
    match peer.list_roots().await {
        Ok(roots) => roots.roots.into_iter().next().map(|root| root.uri),
        Err(error) => {
            tracing::debug!(%error, "the client named no roots");
            None
        }
    }
}

fn has_roots(client: &InitializeRequestParams) -> bool {
    client.capabilities.roots.is_some()
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("hermes", env!("CARGO_PKG_VERSION")).with_title("hermes memory"))
            .with_instructions(tools::INSTRUCTIONS)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        if has_roots(&request) {
            // They may be asked for only later, and a call that comes before them waits.
            self.project.send_replace(None);
        }
        context.peer.set_peer_info(request.clone());
        self.negotiate_initialize(&request)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        if context.peer.peer_info().is_some_and(|client| has_roots(&client)) {
            self.ask_roots(&context.peer).await;
        }
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.ask_roots(&context.peer).await;
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        only_page(request)?;
        // Without a memory the host's own tools say why.
        let tools = self.work(&context, Connection::tools).await.unwrap_or_else(|_| tools::own().into());
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let CallToolRequestParams { name, arguments, .. } = request;
        let tool = name.clone();
        let done = self
            .work(&context, move |connection| {
                let reply = match &*name {
                    tools::RECALL => match args::texts(arguments, ["message"]) {
                        Ok([message]) => connection.recall(&message),
                        Err(wrong) => Reply::failed(wrong),
                    },
                    tools::RECORD => match args::texts(arguments, ["user", "assistant"]) {
                        Ok([user, assistant]) => connection.record(&user, &assistant),
                        Err(wrong) => Reply::failed(wrong),
                    },
                    tools::STATUS => match args::texts(arguments, []) {
                        Ok([]) => connection.status(),
                        Err(wrong) => Reply::failed(wrong),
                    },
                    name => connection.call(name, arguments)?,
                };
                Some(reply.masked(connection.mask()))
            })
            .await;
        match done {
            Ok(Some(result)) => Ok(result.into()),
            Ok(None) => {
                let message = format!(
                    "there is no tool `{}`; `{}` says which are not offered",
                    tool.escape_debug(),
                    tools::STATUS
                );
                Err(ErrorData::invalid_params(message, None))
            }
            Err(failure) => Ok(Reply::from(failure).masked(&self.mask()).into()),
        }
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        only_page(request)?;
        let mut resources = vec![
            Resource::new(STATUS, "status")
                .with_description("How the memory is doing, as `memory_status` says it")
                .with_mime_type("application/json"),
        ];
        let prompt = self.work(&context, Connection::system_prompt).await.unwrap_or_default();
        if !prompt.is_empty() {
            let resource = Resource::new(SYSTEM_PROMPT, "system-prompt")
                .with_description("What the memory wants to stand in the system prompt")
                .with_mime_type("text/plain");
            resources.push(resource);
        }
        Ok(ListResourcesResult::with_all_items(resources))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let job = match request.uri.as_str() {
            STATUS => Connection::status_json,
            SYSTEM_PROMPT => Connection::system_prompt,
            _ => return Err(no_resource(&request.uri)),
        };
        let text = self
            .work(&context, job)
            .await
            .map_err(|failure| ErrorData::internal_error(self.mask().apply(&failure.message).into_owned(), None))?;
        if text.is_empty() {
            return Err(no_resource(&request.uri));
        }
        let kind = if request.uri == STATUS { "application/json" } else { "text/plain" };
        Ok(ReadResourceResult::new(vec![ResourceContents::text(text, request.uri).with_mime_type(kind)]).into())
    }

    /// Also a known method whose parameters are not what they should be comes here.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = &request.method;
        match method.as_str() {
            "initialize"
            | "ping"
            | "tools/list"
            | "tools/call"
            | "resources/list"
            | "resources/read"
            | "resources/templates/list" => {
                Err(ErrorData::invalid_params(format!("the parameters are not those of `{method}`"), None))
            }
            _ => {
                let message = format!("there is no method `{}`", method.escape_debug());
                Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None))
            }
        }
    }
}

fn no_resource(uri: &str) -> ErrorData {
    ErrorData::resource_not_found("there is no such resource", Some(json!({"uri": uri})))
}

/// Everything is on one page.
fn only_page(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor) {
        None => Ok(()),
        Some(_) => Err(ErrorData::invalid_params("there is no page of this `cursor`", None)),
    }
}
