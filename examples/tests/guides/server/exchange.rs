//! The loop of a server, for any transport.

use std::{sync::Arc, time::SystemTime};

use getrandom::SysRng;
use mrtr_core::{
    UnixTime,
    server::{Action, Actions, Endpoint, Event, Exchange, Incoming, Misuse, Report, Respond},
};

use super::{builds::Payments, handler::handle, store::Store};

/// What the requests of a server share.
pub(crate) struct Server {
    pub(crate) endpoint: Arc<Endpoint>,
    pub(crate) store: Store,
    pub(crate) log: Box<dyn Fn(&Report) + Send + Sync>,
    /// Whatever your handlers work on.
    pub(crate) payments: Payments,
}

/// Answers one message.
pub(crate) async fn answer(server: &Server, incoming: Incoming<'_>) -> Result<Respond, Misuse> {
    let (mut exchange, mut actions) = Exchange::receive(&server.endpoint, now(), incoming);
    loop {
        actions.reports().iter().for_each(&server.log);
        let mut next = Actions::default();
        for action in actions {
            match action {
                Action::Run(run) => {
                    let ending = handle(server, &run).await;
                    next = exchange.end(now(), &mut SysRng, ending)?;
                }
                Action::Respond(respond) => return Ok(respond),
                // Only an endpoint with single use emits these two.
                Action::Redeem { id, until } => {
                    let event = match server.store.redeem(now(), id, until) {
                        Ok(first) => Event::Redeemed { first },
                        Err(_) => Event::StoreFailed,
                    };
                    next = exchange.handle(event)?;
                }
                Action::Release { id } => server.store.release(id),
            }
        }
        actions = next;
    }
}

/// Returns the calendar time.
pub(crate) fn now() -> UnixTime {
    let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    UnixTime::from_secs(since_1970.as_secs())
}
