//! Messages about a run, other than its findings.

/// Message about a run, such as a failure of a launch.
///
/// # Examples
/// ```
/// use gcn_report::Notification;
/// use gcn_runtime::fault::names;
/// let error = Notification::error(Some(names::DEADLOCK), "no wave can continue");
/// assert!(error.is_error && !Notification::note("nothing was checked").is_error);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Notification {
    /// True if the run ended early, could not start, or did not produce all requested output.
    pub is_error: bool,
    /// Name for `gcn explain`.
    pub name: Option<&'static str>,
    /// Text of the message.
    pub message: String,
}

impl Notification {
    /// Creates a message that is not an error.
    pub fn note(message: impl Into<String>) -> Notification {
        Notification {
            is_error: false,
            name: None,
            message: message.into(),
        }
    }

    /// Creates an error message, with a name if there is one.
    pub fn error(name: Option<&'static str>, message: impl Into<String>) -> Notification {
        Notification {
            is_error: true,
            name,
            message: message.into(),
        }
    }
}
