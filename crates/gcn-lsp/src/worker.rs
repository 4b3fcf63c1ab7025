//! Worker thread, which assembles and checks one document version at a time. A version that becomes outdated is
//! dropped. Errors are reported before the check, which takes longer.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use lsp_types::Diagnostic;

use crate::assembled::{Assembled, Snapshot};
use crate::{diagnostics, lint};

/// Analysis result of a document version.
#[derive(Debug)]
pub(crate) struct Analysis {
    pub assembled: Arc<Assembled>,
    /// Errors and warnings, including findings if `is_complete` is set.
    pub diagnostics: Vec<Diagnostic>,
    /// False if a result with findings will follow.
    pub is_complete: bool,
}

/// Document versions waiting for the worker.
#[derive(Default)]
struct PendingVersions {
    snapshots: VecDeque<Snapshot>,
    is_closed: bool,
}

/// Queue that holds the latest version of each document.
#[derive(Clone, Default)]
pub(crate) struct Queue(Arc<(Mutex<PendingVersions>, Condvar)>);

impl Queue {
    /// Adds a version, replacing any older one of the same document.
    pub(crate) fn push(&self, snapshot: Snapshot) {
        let (waiting, condition) = &*self.0;
        let mut waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.snapshots.retain(|older| older.uri != snapshot.uri);
        waiting.snapshots.push_back(snapshot);
        condition.notify_one();
    }

    /// Closes the queue, which stops the worker.
    pub(crate) fn close(&self) {
        let (waiting, condition) = &*self.0;
        waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_closed = true;
        condition.notify_one();
    }

    /// Waits for the next version. Returns `None` once the queue is closed.
    fn pop(&self) -> Option<Snapshot> {
        let (waiting, condition) = &*self.0;
        let mut waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if waiting.is_closed {
                return None;
            }
            if let Some(snapshot) = waiting.snapshots.pop_front() {
                return Some(snapshot);
            }
            waiting = condition
                .wait(waiting)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// True if a newer version of the document is waiting, or the queue is closed.
    fn has_newer(&self, than: &Snapshot) -> bool {
        let (waiting, _) = &*self.0;
        let waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.is_closed || waiting.snapshots.iter().any(|newer| newer.uri == than.uri)
    }
}

/// Processes versions until the queue is closed, and passes each result to `finished`.
pub(crate) fn run(queue: &Queue, finished: &dyn Fn(Analysis)) {
    while let Some(snapshot) = queue.pop() {
        let assembled = Arc::new(Assembled::new(snapshot));
        if queue.has_newer(&assembled.snapshot) {
            continue;
        }
        let mut diagnostics = diagnostics::of_assembly(&assembled);
        let is_complete = !assembled.snapshot.settings.lint || assembled.object.is_none();
        finished(Analysis {
            assembled: Arc::clone(&assembled),
            diagnostics: diagnostics.clone(),
            is_complete,
        });
        if is_complete {
            continue;
        }
        diagnostics.extend(lint::findings(&assembled));
        diagnostics.sort_by_key(|it| (it.range.start.line, it.range.start.character));
        if !queue.has_newer(&assembled.snapshot) {
            finished(Analysis {
                assembled,
                diagnostics,
                is_complete: true,
            });
        }
    }
}
