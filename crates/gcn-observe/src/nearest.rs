//! Description of the allocation nearest to an address, for messages about bad accesses.

use gcn_emu::memory::Allocation;

use crate::quantity::quantity;

/// Describes the allocation nearest to `address`: its name, size and location, and its distance from the address.
///
/// # Examples
/// ```
/// use gcn_emu::memory::Allocation;
/// let xs = Allocation { name: "xs".into(), base: 0x1000, len: 256, is_freed: false, host_has_written: true };
/// assert_eq!(
///     gcn_observe::nearest(&xs, 0x1101),
///     "nearest is xs: 256 bytes at 0x1000; the address is 1 byte beyond its end"
/// );
/// ```
pub fn nearest(allocation: &Allocation, address: u64) -> String {
    let Allocation {
        name, base, len, ..
    } = allocation;
    let end = base.saturating_add(*len);
    let freed = if allocation.is_freed {
        ", which has been freed"
    } else {
        ""
    };
    let place = if address < *base {
        format!("{} before its start", quantity(base - address, "byte"))
    } else if address < end {
        format!("{} into it", quantity(address - base, "byte"))
    } else if address == end {
        "right past its end".to_owned()
    } else {
        format!("{} beyond its end", quantity(address - end, "byte"))
    };
    format!("nearest is {name}: {len} bytes at {base:#x}; the address is {place}{freed}")
}
