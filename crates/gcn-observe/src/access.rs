//! Memory accesses as text, for the trace.

use std::fmt::Write;

use gcn_emu::fault::Intent;
use gcn_emu::observe::{AccessValue, LaneSpace, MemoryEvent, Phase};

use crate::filter::lanes;
use crate::spread::write_spread;

/// Maximum size in dwords of a value that [`write_spread`] can write.
const NUMBER_DWORDS: usize = 2;

/// Writes an access: for each address space and element, the intent, address space, addresses and values. The values of
/// a load to registers are omitted. Addresses in LDS and GDS are offsets. For an atomic, `operands` is the result of
/// [`operands`].
pub(crate) fn write_access(line: &mut String, event: &MemoryEvent<'_>, operands: &[String]) {
    let access = event.access();
    let Some(intent) = access.intent else {
        return;
    };
    let mut operands = operands.iter();
    for (space, mask, element) in groups(event) {
        let (verb, space_name) = (verb(intent), name(space));
        // Writing to a `String` cannot fail.
        let _ = write!(line, "  {verb} {space_name} ");
        let addresses: Option<Vec<(usize, u64)>> = lanes(mask)
            .map(|lane| Some((lane, address(event, space, lane, element)?)))
            .collect();
        match addresses {
            Some(addresses) => write_spread(line, &addresses, u64::MAX),
            None => line.push_str("partly out of range"),
        }
        if intent == Intent::Load && loads_to_registers(event) {
            continue;
        }
        line.push_str(": ");
        match operands.next() {
            Some(operands) => {
                let _ = write!(line, "{operands}, was ");
            }
            None if intent == Intent::Atomic => line.push_str("was "),
            None => {}
        }
        line.push_str(&values(event, mask, element));
    }
}

/// True for loads to registers, as opposed to loads to LDS and reads of LDS_DIRECT.
fn loads_to_registers(event: &MemoryEvent<'_>) -> bool {
    event.access().to_lds.is_none() && event.instruction.step.memory.is_some()
}

/// Returns the operands of an atomic that is about to execute, for each address space and element.
pub(crate) fn operands(event: &MemoryEvent<'_>) -> Vec<String> {
    debug_assert_eq!(event.phase, Phase::Before, "memory has other values then");
    groups(event)
        .map(|(_, mask, element)| values(event, mask, element))
        .collect()
}

/// Returns each accessed address space with its lanes, once per element.
fn groups<'e>(event: &'e MemoryEvent<'_>) -> impl Iterator<Item = (LaneSpace, u64, u8)> + 'e {
    let access = event.access();
    let spaces = [
        (LaneSpace::Global, access.global),
        (LaneSpace::Lds, access.lds),
        (LaneSpace::Gds, access.gds),
        (LaneSpace::Scratch, access.scratch),
        (LaneSpace::Buffer, access.buffer),
    ];
    let used = spaces.into_iter().filter(|(_, mask)| *mask != 0);
    used.flat_map(|(space, mask)| (0..access.elements).map(move |n| (space, mask, n)))
}

fn verb(intent: Intent) -> &'static str {
    match intent {
        Intent::Load => "load",
        Intent::Store => "store",
        Intent::Atomic => "atomic",
    }
}

fn name(space: LaneSpace) -> &'static str {
    match space {
        LaneSpace::Global => "global",
        LaneSpace::Lds => "lds",
        LaneSpace::Gds => "gds",
        LaneSpace::Scratch => "scratch",
        LaneSpace::Buffer => "buffer",
    }
}

/// Returns the address of a lane's element; `None` if it is out of bounds.
fn address(event: &MemoryEvent<'_>, space: LaneSpace, lane: usize, element: u8) -> Option<u64> {
    let access = event.access();
    match space {
        LaneSpace::Lds | LaneSpace::Gds if element == 0 => Some(access.address[lane]),
        LaneSpace::Lds | LaneSpace::Gds => Some(access.second[lane]),
        LaneSpace::Global | LaneSpace::Scratch | LaneSpace::Buffer => access.place(lane, 0),
    }
}

/// Formats the values of an element in the lanes of `mask`.
fn values(event: &MemoryEvent<'_>, mask: u64, element: u8) -> String {
    let values: Vec<(usize, AccessValue)> = lanes(mask)
        .filter_map(|lane| Some((lane, event.value(lane, element)?)))
        .collect();
    let dwords = values.iter().map(|(_, value)| value.dwords().len()).max();
    let mut text = String::new();
    if dwords.is_some_and(|dwords| dwords > NUMBER_DWORDS) {
        let whole = |value: &AccessValue| {
            let dwords = value.dwords().iter().rev();
            dwords.map(|it| format!("{it:08x}")).collect::<String>()
        };
        let mut texts: Vec<String> = values.iter().map(|(_, value)| whole(value)).collect();
        if texts.windows(2).all(|pair| pair[0] == pair[1]) {
            texts.truncate(1);
            return format!("0x{}", texts.concat());
        }
        return format!("[{}]", texts.join(" "));
    }
    let number = |value: &AccessValue| {
        let dwords = value.dwords().iter().rev();
        dwords.fold(0, |number: u64, dword| {
            number << u32::BITS | u64::from(*dword)
        })
    };
    let mask = if dwords == Some(NUMBER_DWORDS) {
        u64::MAX
    } else {
        u64::from(u32::MAX)
    };
    let numbers: Vec<(usize, u64)> = values
        .iter()
        .map(|(lane, it)| (*lane, number(it)))
        .collect();
    write_spread(&mut text, &numbers, mask);
    text
}
