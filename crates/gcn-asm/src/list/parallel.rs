//! Generates text on all threads and emits it in order.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use gcn_isa::text::Text;

/// Text buffers per thread: one being filled and one waiting for output.
const TEXTS_PER_THREAD: usize = 2;

/// Calls `make` for each number below `count`, on all threads, and passes the texts to `sink` in order. The number of
/// buffers is bounded, and each call waits for a free one. The calling thread helps.
pub(crate) fn in_order(
    count: usize,
    make: &(dyn Fn(usize, &mut Text) + Sync),
    sink: &mut dyn FnMut(&Text),
) {
    let threads = thread::available_parallelism()
        .map_or(1, usize::from)
        .min(count);
    let (give_back, spares) = channel();
    for _ in 0..threads * TEXTS_PER_THREAD {
        let _ = give_back.send(Text::new()); // Cannot fail: the receiver is alive.
    }
    let parts = ListedParts {
        next: AtomicUsize::new(0),
        count,
        spares: Mutex::new(spares),
        make,
    };
    let (parts, (done, ready)) = (&parts, channel());
    thread::scope(|scope| {
        for _ in 1..threads {
            let done = done.clone();
            let helper = move || {
                while let Some(spare) = parts.wait_for_spare()
                    && let Some(part) = parts.part(spare)
                {
                    if done.send(part).is_err() {
                        break;
                    }
                }
            };
            if thread::Builder::new().spawn_scoped(scope, helper).is_err() {
                break; // The host has no more threads; the existing ones make all parts.
            }
        }
        let give_back = give_back; // Dropped with this closure, which ends threads that wait for a buffer.
        let mut waiting: Vec<ListedPart> = Vec::new();
        for number in 0..count {
            let text = loop {
                waiting.extend(ready.try_iter());
                if let Some(place) = waiting.iter().position(|part| part.number == number) {
                    break waiting.swap_remove(place).text;
                }
                let own = parts.spare().and_then(|spare| parts.part(spare));
                match own.or_else(|| ready.recv().ok()) {
                    Some(part) => waiting.push(part),
                    None => return,
                }
            };
            match text {
                Ok(text) => {
                    sink(&text);
                    let _ = give_back.send(text);
                }
                Err(panic) => resume_unwind(panic),
            }
        }
    });
}

struct ListedParts<'a> {
    next: AtomicUsize,
    count: usize,
    spares: Mutex<Receiver<Text>>,
    make: &'a (dyn Fn(usize, &mut Text) + Sync),
}

/// A finished text, or the panic that prevented it.
struct ListedPart {
    number: usize,
    text: Result<Text, Box<dyn Any + Send>>,
}

impl ListedParts<'_> {
    /// Generates the next part into `text`; returns `None` if all parts were started.
    fn part(&self, mut text: Text) -> Option<ListedPart> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        if number >= self.count {
            return None;
        }
        text.clear();
        let made = catch_unwind(AssertUnwindSafe(|| (self.make)(number, &mut text)));
        Some(ListedPart {
            number,
            text: made.map(|()| text),
        })
    }

    fn wait_for_spare(&self) -> Option<Text> {
        self.spares.lock().ok()?.recv().ok()
    }

    /// Takes a free text buffer, unless another thread is waiting for one.
    fn spare(&self) -> Option<Text> {
        self.spares.try_lock().ok()?.try_recv().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write;

    #[test]
    fn parts_come_out_in_order() {
        for count in [0, 1, 2, 7, 1000] {
            let mut all = String::new();
            let make = |number: usize, out: &mut Text| {
                if number.is_multiple_of(3) {
                    thread::yield_now();
                }
                let _ = write!(out, "{number} ");
            };
            in_order(count, &make, &mut |part| all.push_str(part.as_str()));
            let expected: String = (0..count).map(|number| format!("{number} ")).collect();
            assert_eq!(all, expected);
        }
    }

    #[test]
    fn a_panic_is_passed_on() {
        let result = catch_unwind(|| {
            in_order(
                100,
                &|number, _| assert_ne!(number, 50, "expected"),
                &mut |_| {},
            );
        });
        assert!(result.is_err());
    }
}
