//! Filter for the instructions that a trace reports.

use std::ops::Range;

use gcn_emu::observe::{Access, Context, Instruction, LaneSpace};

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
        let is_inside = |address: u64| {
            let end = address.saturating_add(u64::from(access.bytes.max(1)));
            let overlaps = |range: &Range<u64>| address < range.end && range.start < end;
            self.memory.iter().any(overlaps)
        };
        lanes(access.lanes()).any(|lane| {
            let is_shared = matches!(access.space(lane), Some(LaneSpace::Lds | LaneSpace::Gds));
            !is_shared && access.place(lane, 0).is_some_and(is_inside)
        })
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
