//! Thread that runs application callbacks, which may block or call the API.

use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel};

/// Call to run on the callback thread.
type PendingCall = Box<dyn FnOnce() + Send>;

/// Queues a call for the callback thread, which runs calls in order of submission.
pub(crate) fn submit(call: impl FnOnce() + Send + 'static) {
    static CALLS: OnceLock<Option<Sender<PendingCall>>> = OnceLock::new();
    let calls = CALLS.get_or_init(|| {
        let (sender, receiver) = channel::<PendingCall>();
        let thread = std::thread::Builder::new().name("gcn opencl callbacks".to_owned());
        let work = move || receiver.into_iter().for_each(|call| call());
        thread.spawn(work).is_ok().then_some(sender)
    });
    let call: PendingCall = Box::new(call);
    match calls {
        Some(calls) => match calls.send(call) {
            Ok(()) => {}
            Err(unsent) => unsent.0(),
        },
        // The callback thread could not be created.
        None => call(),
    }
}
