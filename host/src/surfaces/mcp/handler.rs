//! What a client may ask for, as the SDK hands it over.

use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode, ErrorData, GetPromptRequestParams,
    GetPromptResponse, Implementation, InitializeRequestParams, InitializeResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig, SubscriptionFilter,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};

use super::connection::Connection;
use super::reply::Reply;
use super::server::{Server, has_roots};
use super::{args, prompts, resources, tools};

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_prompts()
            .enable_prompts_list_changed()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("hermes", env!("CARGO_PKG_VERSION")).with_title("hermes memory"))
            .with_instructions(tools::INSTRUCTIONS)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        self.greeted(&request);
        context.peer.set_peer_info(request.clone());
        self.negotiate_initialize(&request)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.follow(&context.peer);
        if context.peer.peer_info().is_some_and(|client| has_roots(&client)) {
            self.ask_roots(&context.peer).await;
        }
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.ask_roots(&context.peer).await;
    }

    fn accepted_subscription_filter(&self, _: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(SubscriptionFilter::builder().tools_list_changed().prompts_list_changed().resources_list_changed().build())
    }

    /// How clients of the newest protocol hear of changes.
    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.changes();
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                changed = changes.changed() => if changed.is_err() { return Ok(()) },
            }
            let sink = context.sink();
            // What was not asked for is refused by the sink.
            let _ = sink.notify_tool_list_changed().await;
            let _ = sink.notify_prompt_list_changed().await;
            let _ = sink.notify_resource_list_changed().await;
        }
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
                let (tool, status) = (tool.escape_debug(), tools::STATUS);
                let message = format!("there is no tool `{tool}`; `{status}` says which are not offered");
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
        // Without a memory the status says why.
        let resources = self.work(&context, resources::list).await.unwrap_or_else(|_| vec![resources::status()]);
        Ok(ListResourcesResult::with_all_items(resources))
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        only_page(request)?;
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.clone();
        let read = self.work(&context, move |connection| resources::read(connection, &uri)).await;
        let contents = read.map_err(|failure| self.internal(&failure.message))?;
        contents.map(Into::into).ok_or_else(|| resources::unknown(&request.uri))
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        only_page(request)?;
        Ok(ListPromptsResult::with_all_items(prompts::list()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let got = self.work(&context, move |connection| prompts::get(connection, request)).await;
        let prompt = got.map_err(|failure| self.internal(&failure.message))?;
        prompt.map(Into::into).map_err(|wrong| ErrorData::invalid_params(wrong, None))
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
            | "resources/templates/list"
            | "prompts/list"
            | "prompts/get" => {
                Err(ErrorData::invalid_params(format!("the parameters are not those of `{method}`"), None))
            }
            _ => {
                let message = format!("there is no method `{}`", method.escape_debug());
                Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None))
            }
        }
    }
}

impl Server {
    fn internal(&self, message: &str) -> ErrorData {
        ErrorData::internal_error(self.mask().apply(message).into_owned(), None)
    }
}

/// Everything is on one page.
fn only_page(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor) {
        None => Ok(()),
        Some(_) => Err(ErrorData::invalid_params("there is no page of this `cursor`", None)),
    }
}
