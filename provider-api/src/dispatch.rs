//! From bytes to a method of the trait and back. The same code serves the boundary and the tests of a provider.
//!
//! Nothing here catches a panic, which is the boundary's work, and nothing looks at the manifest: a hook of an interface
//! that the plugin does not list is called like any other.
//!
//! A test that goes through here sees what a host sees: fields that are missing, records of tomorrow, answers as JSON.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::records::Caller;
use crate::{Call, ErrorKind, Hook, MemoryProvider, ProviderError};

/// The request of `tool_effect`.
#[derive(Serialize, Deserialize, Clone, Debug, Default)]
#[serde(default)]
pub struct ToolEffectRequest {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub args: Value,
}

/// The request of `delete_entry`.
#[derive(Serialize, Deserialize, Clone, Debug, Default)]
#[serde(default)]
pub struct DeleteEntryRequest {
    /// For whom and by whom.
    pub caller: Caller,
    /// The entry.
    pub id: String,
}

/// Runs one hook: `request` and the answer are JSON, an empty request means the default record.
///
/// ```
/// use hermes_provider_api::dispatch::dispatch;
/// use hermes_provider_api::records::{Health, OpenRequest};
/// use hermes_provider_api::{Call, Hook, Host, MemoryProvider, ProviderError};
///
/// struct Plain;
///
/// impl MemoryProvider for Plain {
///     fn open(_: Host, _: OpenRequest) -> Result<Self, ProviderError> {
///         Ok(Self)
///     }
///     fn health(&self, _: &Call<'_>) -> Result<Health, ProviderError> {
///         Ok(Health::ok("here"))
///     }
/// }
///
/// let answer = dispatch(&Plain, Hook::Prefetch, br#"{"query": "tea"}"#, &Call::default()).unwrap();
/// assert_eq!(answer, br#"{"items":[]}"#);
/// ```
///
/// # Errors
/// The provider's error; [`ErrorKind::InvalidInput`] when the request is not the hook's record;
/// [`ErrorKind::Unsupported`] for `close`, which the boundary does itself.
pub fn dispatch(
    provider: &dyn MemoryProvider,
    hook: Hook,
    request: &[u8],
    call: &Call<'_>,
) -> Result<Vec<u8>, ProviderError> {
    match hook {
        Hook::UnavailableReason => encode(&provider.unavailable_reason()),
        Hook::SystemPromptBlock => encode(&provider.system_prompt_block(&decode(hook, request)?)?),
        Hook::Health => encode(&provider.health(call)?),
        Hook::Shutdown => encode(&provider.shutdown(call)?),
        Hook::Close => Err(ProviderError::unsupported("close as a hook")),
        Hook::Prefetch => encode(&provider.prefetch(&decode(hook, request)?, call)?),
        Hook::QueuePrefetch => encode(&provider.queue_prefetch(&decode(hook, request)?, call)?),
        Hook::RecallStatus => encode(&provider.recall_status(call)?),
        Hook::SyncTurn => encode(&provider.sync_turn(&decode(hook, request)?, call)?),
        Hook::OnMemoryWrite => encode(&provider.on_memory_write(&decode(hook, request)?, call)?),
        Hook::OnTurnStart => encode(&provider.on_turn_start(&decode(hook, request)?, call)?),
        Hook::OnSessionEnd => encode(&provider.on_session_end(&decode(hook, request)?, call)?),
        Hook::OnSessionSwitch => encode(&provider.on_session_switch(&decode(hook, request)?, call)?),
        Hook::OnPreCompress => encode(&provider.on_pre_compress(&decode(hook, request)?, call)?),
        Hook::OnDelegation => encode(&provider.on_delegation(&decode(hook, request)?, call)?),
        Hook::ToolSchemas => encode(&provider.tool_schemas()?),
        Hook::CallTool => encode(&provider.call_tool(&decode(hook, request)?, call)?),
        Hook::ToolEffect => {
            let ToolEffectRequest { tool, args } = decode(hook, request)?;
            encode(&provider.tool_effect(&tool, &args))
        }
        Hook::ConfigSchema => encode(&provider.config_schema()?),
        Hook::SaveConfig => encode(&provider.save_config(&decode(hook, request)?)?),
        Hook::BackupPaths => encode(&provider.backup_paths()?),
        Hook::Remember => encode(&provider.remember(&decode(hook, request)?, call)?),
        Hook::Import => encode(&provider.import(&decode(hook, request)?, call)?),
        Hook::ListEntries => encode(&provider.list_entries(&decode(hook, request)?, call)?),
        Hook::DeleteEntry => {
            let DeleteEntryRequest { caller, id } = decode(hook, request)?;
            encode(&provider.delete_entry(&id, &caller, call)?)
        }
    }
}

fn decode<T: DeserializeOwned + Default>(hook: Hook, request: &[u8]) -> Result<T, ProviderError> {
    if request.is_empty() {
        return Ok(T::default());
    }
    serde_json::from_slice(request)
        .map_err(|error| ProviderError::invalid(format!("`{}` got a request it cannot read: {error}", hook.name())))
}

fn encode<T: Serialize>(answer: &T) -> Result<Vec<u8>, ProviderError> {
    serde_json::to_vec(answer)
        .map_err(|error| ProviderError::new(ErrorKind::Internal, format!("the answer cannot be written: {error}")))
}
