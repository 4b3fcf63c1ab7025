//! Shadow memory that records the last writer of each byte.

use std::collections::HashMap;

/// ID of a writer; 0 means none.
pub(crate) type WriterId = u32;

const PAGE: u64 = 4096;

type Page = Box<[WriterId; PAGE as usize]>;

/// Last writer of each byte, in pages allocated at the first write.
#[derive(Default)]
pub(crate) struct Shadow {
    places: HashMap<u64, u32>,
    pages: Vec<Page>,
    last: Option<(u64, u32)>,
}

impl Shadow {
    /// Returns the last writer of a byte.
    pub(crate) fn get(&self, address: u64) -> WriterId {
        let number = address / PAGE;
        let place = match self.last {
            Some((last, place)) if last == number => Some(place),
            _ => self.places.get(&number).copied(),
        };
        place.map_or(0, |place| {
            self.pages[place as usize][(address % PAGE) as usize]
        })
    }

    /// Sets the writer of a byte, and returns the previous one.
    pub(crate) fn set(&mut self, address: u64, writer: WriterId) -> WriterId {
        let number = address / PAGE;
        let place = match self.last {
            Some((last, place)) if last == number => place,
            _ => {
                let next = self.pages.len() as u32;
                let place = *self.places.entry(number).or_insert(next);
                if place == next {
                    self.pages.push(Box::new([0; PAGE as usize]));
                }
                self.last = Some((number, place));
                place
            }
        };
        std::mem::replace(
            &mut self.pages[place as usize][(address % PAGE) as usize],
            writer,
        )
    }
}
