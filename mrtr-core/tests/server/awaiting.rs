//! Handlers that await, and when the generator of random numbers is asked.

use core::{
    convert::Infallible,
    fmt,
    pin::{Pin, pin},
    task::{Context, Poll, Waker},
};
use std::{io, sync::Arc, thread};

use getrandom::{
    SysRng,
    rand_core::{TryCryptoRng, TryRng},
};
use mrtr_core::{
    Phase,
    seal::SealError,
    server::{
        Action, Actions, Ending, Endpoint, Event, Exchange, Flow, HandlerFault, Incoming, Need,
        ReportKind, Run,
    },
    wire::{InputRequest, RpcError},
};
use serde_json::{Value, json};

use crate::play::{
    NOW, answer, call, confirm, end, error_code, faulted, keyless, message, named, params, raw,
    report, retry, run, sealing, shop, state, sure, yes,
};

/// A thing to wait for: it is ready when it is polled a second time.
#[derive(Default)]
struct Later {
    is_due: bool,
}

impl Future for Later {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if core::mem::replace(&mut self.is_due, true) { Poll::Ready(()) } else { Poll::Pending }
    }
}

/// A runtime, in short: it polls until the future is ready, and counts how often it was not.
fn wait_for<T>(future: impl Future<Output = T>) -> (T, usize) {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    for pending in 0.. {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return (value, pending);
        }
    }
    unreachable!()
}

/// Looks something up, elsewhere.
async fn look_up(name: &str) -> Result<usize, io::Error> {
    Later::default().await;
    if name == "gone" { Err(io::ErrorKind::NotConnected.into()) } else { Ok(name.len()) }
}

/// Asks for a name, looks it up, and asks again whether that is what was meant.
async fn deploy(run: &Run) -> Ending {
    let mut flow = Flow::open(run);
    let result = async {
        let answer = flow.accepted("name", "Who?", named())?;
        let name = answer.text("name").unwrap_or_default().to_owned();
        let letters = look_up(&name).await?;
        flow.accepted("sure", &format!("{letters} letters?"), confirm())?;
        Later::default().await;
        Ok(raw(&json!({"name": name, "letters": letters}).to_string()))
    };
    let result = result.await;
    flow.close(result)
}

/// Answers a message, as an adapter does, with the exchange kept while the store and the handler
/// work.
async fn serve(endpoint: Arc<Endpoint>, message: Vec<u8>) -> Actions {
    let (mut exchange, mut actions) =
        Exchange::receive(&endpoint, NOW, Incoming::message(&message).with_principal("alice"));
    drop(message);
    loop {
        actions = match actions.as_slice() {
            [Action::Redeem { .. }] => {
                Later::default().await;
                exchange.handle(Event::Redeemed { first: true }).unwrap()
            }
            [Action::Run(run)] => {
                let ending = deploy(run).await;
                exchange.end(NOW, &mut SysRng, ending).unwrap()
            }
            _ => return actions,
        };
    }
}

fn assert_send<T: Send + 'static>(value: T) -> T {
    value
}

fn sent(params: &Value) -> Vec<u8> {
    message("tools/call", &params.to_string()).into_bytes()
}

/// proves: SV-15
#[test]
fn an_exchange_and_its_flow_are_kept_while_a_handler_awaits_on_any_thread() {
    let endpoint = Arc::new(shop().with_single_use());
    let serve = |params: &Value| {
        let served = assert_send(serve(endpoint.clone(), sent(params)));
        // The future begins here, and ends on another thread.
        let mut served = Box::pin(served);
        let first = served.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        match first {
            Poll::Ready(actions) => (answer(&actions).1, 0),
            Poll::Pending => {
                let (actions, pending) = thread::spawn(|| wait_for(served)).join().unwrap();
                (answer(&actions).1, pending + 1)
            }
        }
    };
    let (first, pending) = serve(&params());
    assert_eq!(pending, 0, "nothing is looked up before the name is known");
    let name = json!({"name": {"action": "accept", "content": {"name": "Zoë"}}});
    let (second, pending) = serve(&retry(&first["result"]["requestState"], name));
    assert_eq!(pending, 2, "the store and the name");
    let message = &second["result"]["inputRequests"]["sure"]["params"]["message"];
    assert_eq!(message, "4 letters?");
    let (done, pending) = serve(&retry(&second["result"]["requestState"], yes()));
    assert_eq!(pending, 3);
    assert_eq!(done["result"], json!({"name": "Zoë", "letters": 4, "resultType": "complete"}));
    assert_eq!(Arc::strong_count(&endpoint), 1, "nothing of an exchange is left");
}

/// proves: SV-15, SV-14
#[test]
fn what_a_handler_awaits_in_vain_is_an_internal_error_with_its_cause() {
    let endpoint = sealing();
    let first = answer(&wait_for(serve(endpoint.clone(), sent(&params()))).0).1;
    let name = json!({"name": {"action": "accept", "content": {"name": "gone"}}});
    let retry = retry(&first["result"]["requestState"], name);
    let (actions, _) = wait_for(serve(endpoint, sent(&retry)));
    assert_eq!(error_code(&actions), (200, RpcError::INTERNAL));
    let ReportKind::HandlerFailed(error) = &report(&actions).kind else { panic!("{actions:?}") };
    let cause: &io::Error = error.cause().unwrap().downcast_ref().unwrap();
    assert_eq!(cause.kind(), io::ErrorKind::NotConnected);
}

/// A generator that counts how often it is asked, and how many bytes it has given.
#[derive(Default)]
struct Counting {
    asked: usize,
    bytes: usize,
}

impl TryRng for Counting {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        panic!("bytes are asked for")
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        panic!("bytes are asked for")
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        (self.asked, self.bytes) = (self.asked + 1, self.bytes + bytes.len());
        bytes.fill(u8::try_from(self.asked).unwrap());
        Ok(())
    }
}

impl TryCryptoRng for Counting {}

/// A generator that fails.
struct Failing;

#[derive(Debug)]
struct NoEntropy;

impl fmt::Display for NoEntropy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no entropy")
    }
}

impl core::error::Error for NoEntropy {}

impl TryRng for Failing {
    type Error = NoEntropy;

    fn try_next_u32(&mut self) -> Result<u32, NoEntropy> {
        Err(NoEntropy)
    }

    fn try_next_u64(&mut self) -> Result<u64, NoEntropy> {
        Err(NoEntropy)
    }

    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), NoEntropy> {
        Err(NoEntropy)
    }
}

impl TryCryptoRng for Failing {}

/// Every ending of a handler after which nothing is sealed on an endpoint with keys.
fn sealing_nothing() -> Vec<Ending> {
    let asks = || Need::new().request("sure", sure());
    let large = raw(&format!("\"{}\"", "x".repeat(100_000)));
    vec![
        Ending::Finish(raw("{}")),
        Ending::Finish(raw("[]")),
        Ending::Fail(RpcError::new(-1, "no").into()),
        Ending::Abandon(RpcError::new(-1, "busy").into()),
        Ending::Declined,
        Ending::FlowChanged,
        Ending::Need(Need::new()),
        Ending::Need(asks().request("sure", sure())),
        Ending::Need(asks().request("url", InputRequest::form("", confirm()))),
        Ending::Need(asks().state(large)),
    ]
}

/// proves: ST-07
#[test]
fn the_generator_is_asked_once_where_a_state_is_sealed_and_nowhere_else() {
    let endpoint = sealing();
    let mut rng = Counting::default();
    for ending in sealing_nothing() {
        let (mut exchange, _) = call(&endpoint, &params());
        let _ = exchange.end(NOW, &mut rng, ending.clone()).unwrap();
        assert_eq!(rng.asked, 0, "{ending:?}");
        // What is refused seals nothing, either.
        let need = Need::new().request("sure", sure());
        assert!(exchange.end(NOW, &mut rng, Ending::Need(need)).is_err());
        assert_eq!(rng.asked, 0);
    }
    let asks = || Ending::Need(Need::new().request("sure", sure()));
    // Nothing is sealed for a client that cannot answer, without keys, or on an earlier revision.
    let mut unable = params();
    unable["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
    let legacy = Arc::new(shop().with_legacy());
    for (endpoint, params) in
        [(&endpoint, unable), (&keyless(), params()), (&legacy, json!({"name": "order"}))]
    {
        let (mut exchange, actions) = call(endpoint, &params);
        run(&actions);
        let _ = exchange.end(NOW, &mut rng, asks()).unwrap();
        assert_eq!(rng.asked, 0);
    }
    for (round, ending) in [asks(), Ending::Need(Need::new().state(raw("1")))].iter().enumerate() {
        let (mut exchange, _) = call(&endpoint, &params());
        let _ = exchange.end(NOW, &mut rng, ending.clone()).unwrap();
        assert_eq!((rng.asked, rng.bytes), (round + 1, 40 * (round + 1)));
    }
}

/// proves: ST-07, SV-14
#[test]
fn a_generator_that_fails_is_an_internal_error_and_reported_with_its_cause() {
    let endpoint = sealing();
    let (mut exchange, _) = call(&endpoint, &params());
    let need = Need::new().request("sure", sure());
    let actions = exchange.end(NOW, &mut Failing, Ending::Need(need)).unwrap();
    assert_eq!(exchange.phase(), Phase::Settled);
    let error = json!({"code": -32603, "message": "Internal error"});
    assert_eq!(answer(&actions).1["error"], error);
    let fault = faulted(&actions);
    assert!(matches!(fault, HandlerFault::NotSealed(SealError::Generator(_))), "{fault:?}");
    let seal = core::error::Error::source(fault).unwrap();
    assert_eq!(seal.source().unwrap().to_string(), "no entropy");
    // The handler did nothing but ask, so a state that was redeemed for it may be used again.
    let once = std::sync::Arc::new(crate::play::shop().with_single_use());
    let (mut exchange, _) =
        call(&once, &crate::play::retry(&crate::play::state(&once), crate::play::yes()));
    let _ = crate::play::redeem(&mut exchange);
    let need = Need::new().request("sure", sure());
    let actions = exchange.end(NOW, &mut Failing, Ending::Need(need)).unwrap();
    assert!(matches!(actions.as_slice(), [Action::Release { .. }, Action::Respond(_)]));
    // What seals nothing does not notice.
    for ending in sealing_nothing() {
        let (mut exchange, _) = call(&endpoint, &params());
        let mut same = exchange.clone();
        let failing = exchange.end(NOW, &mut Failing, ending.clone()).unwrap();
        assert_eq!(failing, end(&mut same, ending));
    }
}

/// proves: ST-07
#[test]
fn a_generator_is_taken_behind_a_reference_to_any() {
    let rng: &mut dyn TryCryptoRng<Error = Infallible> = &mut Counting::default();
    let endpoint = sealing();
    let (mut exchange, _) = call(&endpoint, &params());
    let need = Need::new().request("sure", sure());
    let actions = exchange.end(NOW, rng, Ending::Need(need)).unwrap();
    let sealed = answer(&actions).1["result"]["requestState"].clone();
    run(&call(&endpoint, &retry(&sealed, yes())).1);
    assert_ne!(sealed, state(&endpoint));
}
