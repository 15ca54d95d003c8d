//! Who listens to changes, and the tools that change something.

use core::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};
use std::sync::{
    Mutex, MutexGuard, PoisonError,
    mpsc::{self, RecvTimeoutError, Sender},
};

use mrtr_core::{
    exchange::{Event, Run},
    wire::{RawJson, RpcError},
};
use mrtr_examples::server::{Caller, Gone};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::handler::{failed, finish, invalid_params, tool_text};

/// How often to look whether a client that hears of no change is still there.
const LOOK: Duration = Duration::from_millis(500);

/// Is a list that can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum List {
    Tools,
    Prompts,
}

/// The lists: what a client calls the wish to hear of its changes, what a change is called, and the
/// tool that makes one.
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

/// Is what changes, and who hears of it.
#[derive(Default)]
pub(crate) struct Changes {
    /// Whether the tool that comes and goes is there.
    has_tool: AtomicBool,
    /// Whether the prompt that comes and goes is there.
    has_prompt: AtomicBool,
    listeners: Mutex<Vec<Sender<List>>>,
}

impl Changes {
    /// Returns whether what comes and goes on a list is there.
    pub(crate) fn is_there(&self, list: List) -> bool {
        self.of(list).load(Ordering::Relaxed)
    }

    /// Changes a list, and tells who listens.
    pub(crate) fn change(&self, list: List) -> Event {
        self.of(list).fetch_xor(true, Ordering::Relaxed);
        // Who can not be told is gone.
        self.listeners().retain(|listener| listener.send(list).is_ok());
        finish(&tool_text("The list is another now."))
    }

    /// Tells a client of the changes that it wants to hear of, until it goes.
    pub(crate) fn listen(&self, run: &Run, caller: &Caller<'_>) -> Event {
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
            let message = "Listening takes a client that accepts event streams";
            return Event::Fail(RpcError::new(RpcError::INVALID_REQUEST, message));
        };
        match self.tell(&wished, &id, caller) {
            // The answer says that it is over. It goes nowhere.
            Err(Gone) => finish(&json!({"_meta": tag(&id)})),
            Ok(()) => failed(),
        }
    }

    /// Tells a client of changes. It ends well only if there can be no more changes.
    fn tell(
        &self,
        wished: &[(List, &str, &str, &str)],
        id: &RawJson,
        caller: &Caller<'_>,
    ) -> Result<(), Gone> {
        let (sender, changes) = mpsc::channel();
        self.listeners().push(sender);
        let honored: Map<_, _> =
            wished.iter().map(|(_, wish, ..)| ((*wish).into(), Value::Bool(true))).collect();
        let params = json!({"_meta": tag(id), "notifications": honored});
        caller.tell("notifications/subscriptions/acknowledged", &params)?;
        loop {
            match changes.recv_timeout(LOOK) {
                Ok(changed) => {
                    let of = wished.iter().filter(|(list, ..)| *list == changed);
                    for (_, _, method, _) in of {
                        caller.tell(method, &json!({"_meta": tag(id)}))?;
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

/// Says which subscription a message is for.
fn tag(id: &RawJson) -> Value {
    json!({"io.modelcontextprotocol/subscriptionId": id})
}
