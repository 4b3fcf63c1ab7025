//! Looks up and enumerates targets.

use std::ffi::{CString, c_char};
use std::ptr::null;
use std::sync::LazyLock;

use gcn_isa::{TARGETS, Target, UnknownTarget};

use crate::entry::{ErrorHandle, call, quiet};
use crate::failure::{Failure, c_text};
use crate::pointers;

/// Target ID: the processor number in code objects (EF_AMDGPU_MACH), such as 0x2c for gfx900. 0 is not a target.
pub type TargetId = u32;

/// Targets, indexed by their eight-bit number.
static BY_NUMBER: LazyLock<[Option<&'static Target>; 1 << u8::BITS]> = LazyLock::new(|| {
    let mut targets = [None; 1 << u8::BITS];
    for target in TARGETS {
        targets[usize::from(target.elf_mach)] = Some(target);
    }
    targets
});

/// Looks up a target by its number.
///
/// # Errors
/// Fails if the number is unknown.
#[inline]
pub(super) fn target(id: TargetId) -> Result<&'static Target, Failure> {
    let target = BY_NUMBER.get(id as usize).copied().flatten();
    target.ok_or_else(|| Failure::choice(format!("{id:#x} is not a target")))
}

/// Looks up a target by a name such as `gfx906`, `vega20` or `gfx906:xnack-`. Returns 0 and sets an error if the name
/// is unknown.
///
/// `name` is null-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gcn_target_named(
    name: *const c_char,
    error: *mut *mut ErrorHandle,
) -> TargetId {
    let body = || {
        // SAFETY: the caller guarantees that `name` is null or null-terminated.
        let name = unsafe { pointers::text(name, "name") }?;
        let target = Target::named(name);
        let target = target.ok_or_else(|| {
            let message = UnknownTarget(name).to_string();
            Failure::new("unsupported-target", message)
        })?;
        Ok(target.elf_mach.into())
    };
    // SAFETY: the caller guarantees that `error` is null or writable.
    unsafe { call(error, 0, body) }
}

/// Returns LLVM's name for a target, such as `gfx906`; null if there is no such target. The string is static.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_target_name(target: TargetId) -> *const c_char {
    static NAMES: LazyLock<Vec<(&str, CString)>> = LazyLock::new(|| {
        let names = TARGETS.iter().map(|target| target.name);
        names.map(|name| (name, c_text(name))).collect()
    });
    quiet(null(), || {
        let name = self::target(target)?.name;
        let text = NAMES.iter().find(|(own, _)| *own == name);
        Ok(text.map_or(null(), |(_, text)| text.as_ptr()))
    })
}

/// Returns the number of targets that `gcn_target_at` enumerates.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_target_count() -> usize {
    quiet(0, || Ok(TARGETS.len()))
}

/// Returns the target at `index`, in order of age; 0 if `index` is not below `gcn_target_count`.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_target_at(index: usize) -> TargetId {
    quiet(0, || {
        let target = TARGETS.get(index);
        let target = target.ok_or_else(|| Failure::index(index, TARGETS.len(), "targets"))?;
        Ok(target.elf_mach.into())
    })
}
