//! Tests of operation numbers.

use std::sync::{Arc, Mutex, PoisonError};

use gcn_emu::observe::{Context, Events, MemoryEvent, Observer, Observers, Verdict, WaveObserver};
use gcn_emu::scoreboard::OperationId;

use super::common::{GFX9, LANES};
use super::run_with;

/// Observer that records the operations of accesses.
#[derive(Clone)]
struct Operations {
    wants: Events,
    found: Arc<Mutex<Vec<Option<OperationId>>>>,
}

impl Observer for Operations {
    fn wants(&self) -> Events {
        self.wants
    }
    fn waves(&self) -> Option<Box<dyn WaveObserver>> {
        Some(Box::new(self.clone()))
    }
}

impl WaveObserver for Operations {
    fn accesses(&mut self, _: &Context<'_>, event: &MemoryEvent<'_>) -> Verdict {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.push(event.instruction.operation);
        Verdict::Allow
    }
}

#[test]
fn operations_have_numbers_only_if_they_are_counted() {
    let text = "v_lshlrev_b32 v1, 2, v0\n global_load_dword v2, v1, s[0:1]\n ds_read_b32 v3, v1\n s_load_dword s4, s[0:1], 0x0\n \
                s_endpgm";
    let of = |wants: Events| {
        let found = Arc::default();
        let observer = Operations {
            wants,
            found: Arc::clone(&found),
        };
        let observers = Observers::none().with(Arc::new(observer));
        run_with(GFX9, text, LANES as u32, |_| (), &observers);
        let found = found.lock().unwrap_or_else(PoisonError::into_inner);
        found.iter().map(|it| it.map(|it| it.0)).collect::<Vec<_>>()
    };
    assert_eq!(of(Events::ACCESS), [None, None, None]);
    assert_eq!(
        of(Events::ACCESS | Events::COUNTERS),
        [Some(0), Some(1), Some(2)]
    );
}
