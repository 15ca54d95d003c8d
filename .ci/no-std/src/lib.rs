//! Links both library crates where there is no std.
//!
//! The panic handler below is the only one that the graph may have. As soon as any dependency
//! brings std, there are two, and the compiler refuses. The library is linked and never run.

#![no_std]

use core::alloc::{GlobalAlloc, Layout};

use form_model::{Content, Form};
use mrtr_core::{
    Instant, InvocationId, Limits, Phase,
    client::{Binding, Claims, Event, Invocation, Request},
    wire::{Method, RawJson},
};

#[cfg(feature = "std-dependency")]
use links_std as _;

/// Calls into both crates, so that they and what they depend on are linked.
#[unsafe(no_mangle)]
pub extern "C" fn probe() -> bool {
    accepts_an_answer().unwrap_or(false) && ends_a_call().unwrap_or(false)
}

fn accepts_an_answer() -> Option<bool> {
    let schema = r#"{"type":"object","properties":{"confirm":{"type":"boolean"}}}"#;
    let form = Form::from_schema(schema).ok()?;
    let answer = form.accept(Content::new().with_flag("confirm", true)).ok()?;
    answer.flag("confirm")
}

fn ends_a_call() -> Option<bool> {
    let now = Instant::from_millis(0);
    let id = InvocationId::new("probe").ok()?;
    let params = RawJson::parse(r#"{"name":"deploy"}"#).ok()?;
    let request = Request::new(id, Method::ToolsCall, params, Binding::new("nowhere"));
    let (mut call, _) = Invocation::start(now, request, Claims::none(), Limits::default()).ok()?;
    let _ = call.handle(now, Event::Stop).ok()?;
    Some(call.phase() == Phase::Settled)
}

/// Has no memory to give: the probe needs an allocator to link, and is never run.
struct NoMemory;

// SAFETY: a null pointer is how an allocator refuses, and what it never gave never comes back.
unsafe impl GlobalAlloc for NoMemory {
    unsafe fn alloc(&self, _: Layout) -> *mut u8 {
        core::ptr::null_mut()
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[global_allocator]
static ALLOCATOR: NoMemory = NoMemory;

#[panic_handler]
fn halt(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
