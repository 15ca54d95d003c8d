//! The listeners to changes of lists, and the tools that change a list.

use core::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};
use std::sync::{
    Mutex, MutexGuard, PoisonError,
    mpsc::{self, RecvTimeoutError, Sender},
};

use mrtr_core::{
    server::{Ending, Run},
    wire::{RawJson, RpcError},
};
use mrtr_examples::server::{Caller, Gone, finish, invalid_params, refuse};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::handler::tool_text;

/// How often to check that a listener is still there while nothing changes.
const LOOK: Duration = Duration::from_millis(500);

/// A list that can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum List {
    Tools,
    Prompts,
}

/// The lists: each with the name under which a client subscribes to it, the notification of a change,
/// and the tool that makes a change.
pub(crate) const LISTS: [(List, &str, &str, &str); 2] = [
    (
        List::Tools,
        "toolsListChanged",
        "notifications/tools/list_changed",
        "test_trigger_tool_change",
    ),
    (
        List::Prompts,
        "promptsListChanged",
        "notifications/prompts/list_changed",
        "test_trigger_prompt_change",
    ),
];

/// The state of the lists, and the listeners to their changes.
#[derive(Default)]
pub(crate) struct Changes {
    /// Whether the changing tool is listed.
    has_tool: AtomicBool,
    /// Whether the changing prompt is listed.
    has_prompt: AtomicBool,
    listeners: Mutex<Vec<Sender<List>>>,
}

impl Changes {
    /// Returns whether the changing tool or prompt is listed.
    pub(crate) fn is_there(&self, list: List) -> bool {
        self.of(list).load(Ordering::Relaxed)
    }

    /// Changes a list, and notifies the listeners.
    pub(crate) fn change(&self, list: List) -> Ending {
        self.of(list).fetch_xor(true, Ordering::Relaxed);
        // A listener that cannot be notified is gone.
        self.listeners().retain(|listener| listener.send(list).is_ok());
        finish(&tool_text("The list has changed."))
    }

    /// Notifies a client of the changes that it subscribes to, until it is gone.
    pub(crate) fn listen(&self, run: &Run, caller: &Caller<'_>) -> Ending {
        #[derive(Deserialize)]
        struct Listen {
            notifications: Map<String, Value>,
        }
        let Ok(listen) = serde_json::from_str::<Listen>(run.params.as_str()) else {
            return invalid_params("Expected the notifications to listen to");
        };
        let wishes = |name: &str| listen.notifications.get(name) == Some(&Value::Bool(true));
        let wished: Vec<_> = LISTS.into_iter().filter(|(_, wish, ..)| wishes(wish)).collect();
        let Some(id) = caller.id().filter(|_| caller.hears()) else {
            return refuse(
                RpcError::INVALID_REQUEST,
                "Expected a client that accepts event streams",
            );
        };
        let tag = tag(&id);
        match self.tell(&wished, &tag, caller) {
            // Nobody gets the answer.
            Err(Gone) => finish(&json!({"_meta": tag})),
            Ok(()) => refuse(RpcError::INTERNAL, "Internal error"),
        }
    }

    /// Notifies a client of changes until it is gone. Returns `Ok` only if there can be no more
    /// changes.
    fn tell(
        &self,
        wished: &[(List, &str, &str, &str)],
        tag: &Value,
        caller: &Caller<'_>,
    ) -> Result<(), Gone> {
        let (sender, changes) = mpsc::channel();
        self.listeners().push(sender);
        let honored: Map<_, _> =
            wished.iter().map(|(_, wish, ..)| ((*wish).into(), Value::Bool(true))).collect();
        let params = json!({"_meta": tag, "notifications": honored});
        caller.tell("notifications/subscriptions/acknowledged", &params)?;
        loop {
            match changes.recv_timeout(LOOK) {
                Ok(changed) => {
                    let of = wished.iter().filter(|(list, ..)| *list == changed);
                    for (_, _, method, _) in of {
                        caller.tell(method, &json!({"_meta": tag}))?;
                    }
                }
                Err(RecvTimeoutError::Timeout) if caller.is_gone() => return Err(Gone),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
        }
    }

    const fn of(&self, list: List) -> &AtomicBool {
        match list {
            List::Tools => &self.has_tool,
            List::Prompts => &self.has_prompt,
        }
    }

    fn listeners(&self) -> MutexGuard<'_, Vec<Sender<List>>> {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes the `_meta` that names the subscription of a message.
fn tag(id: &RawJson) -> Value {
    let id: Value = serde_json::from_str(id.as_str()).unwrap_or_default();
    json!({"io.modelcontextprotocol/subscriptionId": id})
}
