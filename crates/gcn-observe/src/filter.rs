//! Filter for the instructions that a trace reports.

use std::ops::Range;

use gcn_emu::observe::{Access, Context, Instruction};

/// Size of a dword in bytes.
const DWORD: u8 = 4;

/// Filter for executed instructions. An instruction matches if it matches an entry of each nonempty list.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TraceFilter {
    /// Workgroup coordinates in x, y and z.
    pub workgroups: Vec<[u32; 3]>,
    /// Ranges of wave numbers within the workgroup.
    pub waves: Vec<Range<u32>>,
    /// Address ranges of instructions.
    pub code: Vec<Range<u64>>,
    /// Address ranges in global memory or scratch. An instruction matches if it accesses a byte in one of them.
    pub memory: Vec<Range<u64>>,
    /// Patterns of instruction names without encoding suffixes; `*` matches any text.
    pub instructions: Vec<String>,
}

impl TraceFilter {
    /// True if an instruction about to execute matches all lists except the memory ranges.
    pub(crate) fn fits(&self, context: &Context<'_>, instruction: &Instruction<'_>) -> bool {
        fn one<T>(list: &[T], fits: impl Fn(&T) -> bool) -> bool {
            list.is_empty() || list.iter().any(fits)
        }
        let id = context.id();
        one(&self.workgroups, |group| *group == id.group)
            && one(&self.waves, |waves| waves.contains(&id.wave))
            && one(&self.code, |code| code.contains(&context.pc))
            && one(&self.instructions, |pattern| {
                matches(pattern, instruction.step.inst.name())
            })
    }

    /// True if an access overlaps one of the memory ranges.
    pub(crate) fn fits_access(&self, access: &Access) -> bool {
        let bytes = if access.scalar {
            access.bytes.min(DWORD * access.dwords_in_bounds)
        } else {
            access.bytes
        };
        // The bytes of a lane may not be contiguous: scratch and swizzled buffers interleave lanes.
        let is_accessed = |range: &Range<u64>| {
            lanes(access.lanes()).any(|lane| {
                let mut places = (0..bytes).filter_map(|byte| access.place(lane, byte.into()));
                places.any(|place| range.contains(&place))
            })
        };
        self.memory.iter().any(is_accessed)
    }
}

/// Returns the lanes in a mask, in ascending order.
pub(crate) fn lanes(mask: u64) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        let lane = rest.trailing_zeros() as usize;
        rest &= rest.checked_sub(1)?;
        Some(lane)
    })
}

/// True if a name matches a pattern, in which `*` matches any text.
///
/// # Examples
/// ```
/// use gcn_observe::matches;
/// assert!(matches("v_*_f32", "v_add_f32") && matches("*", "s_endpgm"));
/// assert!(!matches("v_add", "v_add_f32"), "a pattern matches whole names");
/// ```
pub fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else {
        return false;
    };
    let Some(last) = parts.next_back() else {
        return rest.is_empty();
    };
    for part in parts {
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// True if the filter for a memory range matches an access.
    fn fits(range: Range<u64>, access: &Access) -> bool {
        let filter = TraceFilter {
            memory: vec![range],
            ..TraceFilter::default()
        };
        filter.fits_access(access)
    }

    #[test]
    fn lanes_access_their_own_dwords_of_scratch() {
        let access = Access {
            bytes: 8,
            scratch: 0b11,
            scratch_base: 0x1000,
            scratch_bytes: 16,
            ..Access::default()
        };
        assert!(fits(0x1000..0x1001, &access) && fits(0x1007..0x1010, &access));
        assert!(fits(0x1100..0x1104, &access) && fits(0x1107..0x1108, &access));
        assert!(
            !fits(0x1008..0x1100, &access),
            "the first dwords of other lanes"
        );
        assert!(
            !fits(0x1108..0x2000, &access),
            "the second dwords of other lanes"
        );
    }

    #[test]
    fn scalar_loads_access_the_dwords_in_bounds() {
        let access = Access {
            bytes: 16,
            scalar: true,
            global: 1,
            address: [0x2000; 64],
            dwords_in_bounds: 2,
            ..Access::default()
        };
        assert!(fits(0x2007..0x2008, &access));
        assert!(!fits(0x2008..0x2010, &access));
    }

    #[test]
    fn patterns_denote_names() {
        for (pattern, name, expected) in [
            ("v_add_f32", "v_add_f32", true),
            ("v_add_f3", "v_add_f32", false),
            ("v_*", "v_add_f32", true),
            ("*_f32", "v_add_f32", true),
            ("v*add*32", "v_add_f32", true),
            ("v*f32*32", "v_add_f32", false),
            ("*", "v_add_f32", true),
            ("s_*", "v_add_f32", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }
}
