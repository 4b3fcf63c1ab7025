//! Thread that assembles documents and reads their code, one version at a time. A version that is no longer the newest is left
//! out, or dropped between the two. Errors are handed over before the code is read, which takes longer.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use lsp_types::Diagnostic;

use crate::assembled::{Assembled, Snapshot};
use crate::{diagnostics, lint};

/// A result for a version of a document.
#[derive(Debug)]
pub(crate) struct Analysis {
    pub assembled: Arc<Assembled>,
    /// Errors and warnings, and findings if it is complete.
    pub diagnostics: Vec<Diagnostic>,
    /// True unless findings follow.
    pub is_complete: bool,
}

/// Versions that wait for the worker.
#[derive(Default)]
struct Waiting {
    snapshots: VecDeque<Snapshot>,
    is_closed: bool,
}

/// Queue of versions, the newest of each document.
#[derive(Clone, Default)]
pub(crate) struct Queue(Arc<(Mutex<Waiting>, Condvar)>);

impl Queue {
    /// Adds a version in place of older ones of its document.
    pub(crate) fn push(&self, snapshot: Snapshot) {
        let (waiting, condition) = &*self.0;
        let mut waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.snapshots.retain(|older| older.uri != snapshot.uri);
        waiting.snapshots.push_back(snapshot);
        condition.notify_one();
    }

    /// Ends the worker.
    pub(crate) fn close(&self) {
        let (waiting, condition) = &*self.0;
        waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_closed = true;
        condition.notify_one();
    }

    /// The next version; nothing once the queue is closed.
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

    /// True if a newer version of a document waits.
    fn has_newer(&self, than: &Snapshot) -> bool {
        let (waiting, _) = &*self.0;
        let waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.is_closed || waiting.snapshots.iter().any(|newer| newer.uri == than.uri)
    }
}

/// Works on versions until the queue is closed, and hands over each result.
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
