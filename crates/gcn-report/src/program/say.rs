//! Messages from a library in a program, on standard error. No other module of the crate prints.

use std::collections::HashSet;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

/// Returns standard error.
pub fn standard_error() -> impl Write + Send {
    std::io::stderr()
}

/// Prints a message.
pub fn say(message: &str) {
    // A single write keeps the line intact: standard error is unbuffered, and `gcn exec` may print to the same
    // terminal. If the program has no standard error, messages are lost.
    let _ = std::io::stderr().write_all(format!("gcn: {message}\n").as_bytes());
}

/// Prints a message, unless it has been printed before.
///
/// # Examples
/// ```
/// use gcn_report::program::say::{say, say_once};
/// say("no kernel was launched"); // gcn: no kernel was launched
/// for _ in 0..3 {
///     say_once("the profile cannot be written"); // one line, not three
/// }
/// ```
pub fn say_once(message: &str) {
    static SAID: Mutex<Option<HashSet<String>>> = Mutex::new(None);
    let mut messages = SAID.lock().unwrap_or_else(PoisonError::into_inner);
    if messages.get_or_insert_default().insert(message.to_owned()) {
        drop(messages);
        say(message);
    }
}
