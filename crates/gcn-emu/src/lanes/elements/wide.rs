//! Loads and stores of lanes' elements using host vectors.
//!
//! This is one of the modules that may use `unsafe`: the addresses have been bounds-checked.

use super::super::register::{LANES, Lanes};
use super::super::vectors::{MOST, Vector, active, all, all_vectors, apart, part, set_part};
use super::places::{DWORD, Elements};

/// Functions kept out of line, so that the functions compiled for each level stay small.
///
/// # Safety
/// Same as for [`Vector`].
pub(super) trait Called: Vector {
    /// Out-of-line variant of [`load_apart`].
    unsafe fn load_apart<const DWORDS: usize>(
        addresses: &Lanes,
        offsets: &[u32],
        mask: u32,
        exec: u64,
        memory: (*const u8, usize),
        into: &mut [Lanes],
    ) -> Option<()>;
}

/// Adds an offset to the addresses and applies the mask.
#[inline(always)]
unsafe fn places<V: Vector>(addresses: V, offset: u32, mask: u32) -> V {
    // SAFETY: the host supports these vectors.
    unsafe { addresses.plus(V::splat(offset)).and(V::splat(mask)) }
}

/// True if all elements of active lanes start at `last` or before.
#[inline(always)]
unsafe fn are_inside<V: Vector>(
    addresses: &Lanes,
    offsets: &[u32],
    mask: u32,
    exec: u64,
    last: u32,
) -> bool {
    // SAFETY: the host supports these vectors.
    unsafe {
        let last = V::splat(last);
        let mut greatest = last;
        for &offset in offsets {
            for vector in 0..LANES / V::WIDTH {
                let mut places = places::<V>(part(addresses, vector), offset, mask);
                if exec != u64::MAX {
                    places = places.kept(V::active(active::<V>(exec, vector)));
                }
                greatest = greatest.greatest(places);
            }
        }
        !greatest.differs(last)
    }
}

/// Implements [`super::Gather`] for `COUNT` elements of `DWORDS` dwords per lane.
#[inline(always)]
unsafe fn gather<V: Called, const DWORDS: usize, const COUNT: usize>(
    elements: &Elements,
    exec: u64,
    bytes: &[u8],
    registers: &mut [Lanes],
) -> Option<()> {
    let offsets = *elements.offsets.first_chunk::<COUNT>()?;
    let addresses = all_vectors::<V>(registers.get(usize::from(elements.addresses))?);
    let mask = elements.mask;
    let first = usize::from(elements.data[0]);
    let into = registers.get_mut(first..first + COUNT * DWORDS)?;
    let memory = (bytes.as_ptr(), bytes.len());
    // SAFETY: the host supports these vectors, and `bytes` is a valid slice.
    unsafe {
        if load_near::<V, DWORDS, COUNT>(addresses, offsets, mask, exec, memory, into).is_some() {
            return Some(());
        }
        // The loads may overwrite the address register.
        let addresses = registers[usize::from(elements.addresses)];
        let into = &mut registers[first..first + COUNT * DWORDS];
        V::load_apart::<DWORDS>(&addresses, &offsets, mask, exec, memory, into)
    }
}

/// Implements [`super::load`] for `DWORDS` registers. `mask` is applied to the addresses.
#[inline(always)]
unsafe fn load<V: Called, const DWORDS: usize>(
    addresses: &Lanes,
    mask: u32,
    exec: u64,
    memory: (*const u8, usize),
    into: &mut [Lanes],
) -> Option<()> {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let addresses_of = all_vectors::<V>(addresses);
        if load_near::<V, DWORDS, 1>(addresses_of, [0], mask, exec, memory, into).is_some() {
            return Some(());
        }
        V::load_apart::<DWORDS>(addresses, &[0], mask, exec, memory, into)
    }
}

/// Loads `COUNT` elements for each active lane, one register per dword, if the elements of each vector's lanes are
/// close together: at the address of the first active lane or slightly above, as for consecutive elements and for equal
/// addresses. Two vectors of memory then contain all of them, and each lane selects its own. Otherwise, returns `None`
/// and loads nothing. Other threads may write to the memory.
#[inline(always)]
unsafe fn load_near<V: Called, const DWORDS: usize, const COUNT: usize>(
    addresses: [V; MOST],
    offsets: [u32; COUNT],
    mask: u32,
    exec: u64,
    memory: (*const u8, usize),
    into: &mut [Lanes],
) -> Option<()> {
    // SAFETY: guaranteed by the caller.
    unsafe {
        if exec == u64::MAX {
            load_near_if::<V, DWORDS, COUNT, true>(addresses, offsets, mask, exec, memory, into)
        } else {
            load_near_if::<V, DWORDS, COUNT, false>(addresses, offsets, mask, exec, memory, into)
        }
    }
}

/// Specialization of [`load_near`]. With `ALL`, all lanes are active.
#[inline(always)]
unsafe fn load_near_if<V: Called, const DWORDS: usize, const COUNT: usize, const ALL: bool>(
    addresses: [V; MOST],
    offsets: [u32; COUNT],
    mask: u32,
    exec: u64,
    (bytes, len): (*const u8, usize),
    into: &mut [Lanes],
) -> Option<()> {
    let in_first = (V::WIDTH * DWORD - DWORD) as u32;
    let in_both = (2 * V::WIDTH * DWORD - DWORD) as u32;
    let (first, second) = (offsets[0], offsets[COUNT - 1]);
    let least = first.min(second);
    let distance = first.abs_diff(second);
    let mut distances = offsets;
    for distance in &mut distances {
        *distance -= least;
    }
    if COUNT > 1 {
        // The elements of a lane are as far apart as their offsets only if the mask removes no bits of in-bounds
        // offsets.
        let kept = u32::MAX.checked_shr(mask.leading_zeros()).unwrap_or(0) as usize;
        if len > kept.saturating_add(1) || distance & !mask != 0 {
            return None;
        }
    }
    let last = u32::try_from(len.checked_sub(2 * V::WIDTH * DWORD)?).ok()?;
    let last = last.checked_sub(distance)?;
    let registers = into.as_chunks_mut::<DWORDS>().0;
    let registers = registers.first_chunk_mut::<COUNT>()?;
    let mut starts = [bytes; MOST];
    let mut from = addresses;
    // SAFETY: the host supports these vectors. Two vectors at the last start plus the distance of the offsets are in
    // bounds.
    unsafe {
        // Bitwise OR of all distances, and the largest distance, which determines the position of the last dword.
        let (mut reached, mut greatest) = (V::splat(0), V::splat(0));
        let last = V::splat(last);
        for vector in 0..LANES / V::WIDTH {
            let active = active::<V>(exec, vector);
            let places = places(addresses[vector], least, mask);
            let first = if ALL {
                places.first()
            } else {
                places.first_of(active)
            };
            let start = first.least(last);
            let mut behind = places.minus(start);
            if !ALL {
                behind = behind.kept(V::active(active));
            }
            reached = reached.or(behind);
            greatest = greatest.greatest(behind);
            starts[vector] = bytes.wrapping_add(start.number() as usize);
            from[vector] = behind.in_dwords();
        }
        if DWORDS > 1 {
            reached = reached.or(greatest.plus(V::splat((DWORDS * DWORD - DWORD) as u32)));
        }
        if !reached.has_any(!in_first) {
            pick::<V, DWORDS, COUNT, ALL, false>(starts, from, distances, exec, registers);
        } else if !reached.has_any(!in_both) {
            pick::<V, DWORDS, COUNT, ALL, true>(starts, from, distances, exec, registers);
        } else {
            return None;
        }
    }
    Some(())
}

/// Selects elements from one vector of memory at each start, or from two if `BOTH`.
#[inline(always)]
unsafe fn pick<
    V: Vector,
    const DWORDS: usize,
    const COUNT: usize,
    const ALL: bool,
    const BOTH: bool,
>(
    starts: [*const u8; MOST],
    from: [V; MOST],
    distances: [u32; COUNT],
    exec: u64,
    registers: &mut [[Lanes; DWORDS]; COUNT],
) {
    for vector in 0..LANES / V::WIDTH {
        for (registers, distance) in registers.iter_mut().zip(distances) {
            let at = starts[vector].wrapping_add(distance as usize);
            // SAFETY: guaranteed by the caller.
            unsafe {
                let low = V::at(at);
                let high = if BOTH {
                    V::at(at.wrapping_add(size_of::<V>()))
                } else {
                    low
                };
                for (dword, register) in registers.iter_mut().enumerate() {
                    let numbers = from[vector].plus(V::splat(dword as u32));
                    let mut loaded = V::picked::<BOTH>(low, high, numbers);
                    if !ALL {
                        let active = V::active(active::<V>(exec, vector));
                        loaded = part::<V>(register, vector).blended(loaded, active);
                    }
                    set_part(register, vector, loaded);
                }
            }
        }
    }
}

/// Variant of [`load_near`] for elements at arbitrary addresses. Returns `None` and loads nothing if an element is out
/// of bounds.
#[inline(always)]
unsafe fn load_apart<V: Vector, const DWORDS: usize>(
    addresses: &Lanes,
    offsets: &[u32],
    mask: u32,
    exec: u64,
    (bytes, len): (*const u8, usize),
    into: &mut [Lanes],
) -> Option<()> {
    // In the range of `i32`, since host gathers sign-extend offsets.
    let last = i32::try_from(len.checked_sub(DWORDS * DWORD)?).ok()? as u32;
    // SAFETY: guaranteed by the caller.
    if !unsafe { are_inside::<V>(addresses, offsets, mask, exec, last) } {
        return None;
    }
    let registers = into.as_chunks_mut::<DWORDS>().0;
    for (&offset, registers) in offsets.iter().zip(registers) {
        for vector in 0..LANES / V::WIDTH {
            let active = active::<V>(exec, vector);
            // SAFETY: the active lanes' elements are in bounds with all their dwords.
            unsafe {
                let places = places::<V>(part(addresses, vector), offset, mask);
                if active == all::<V>() && (DWORDS == 2 || DWORDS == 4) {
                    let loaded = V::elements_at::<DWORDS>(bytes, places);
                    for (register, loaded) in registers.iter_mut().zip(loaded) {
                        set_part(register, vector, loaded);
                    }
                    continue;
                }
                let active = V::active(active);
                for (dword, register) in registers.iter_mut().enumerate() {
                    let bytes = bytes.wrapping_add(dword * DWORD);
                    let loaded = part::<V>(register, vector).or_at(bytes, places, active);
                    set_part(register, vector, loaded);
                }
            }
        }
    }
    Some(())
}

/// Implements [`Elements::scatter`] for `COUNT` elements of `DWORDS` dwords per lane.
#[inline(always)]
unsafe fn scatter<V: Called, const DWORDS: usize, const COUNT: usize>(
    elements: &Elements,
    exec: u64,
    bytes: &mut [u8],
    registers: &[Lanes],
) -> Option<()> {
    let size = DWORDS * DWORD;
    let last = u32::try_from(bytes.len().checked_sub(size)?).ok()?;
    let addresses = registers.get(usize::from(elements.addresses))?;
    let (offsets, mask) = (elements.offsets.first_chunk::<COUNT>()?, elements.mask);
    let mut data = [&[Lanes::ZERO; DWORDS]; COUNT];
    for (data, from) in data.iter_mut().zip(elements.data) {
        *data = registers.get(usize::from(from)..)?.first_chunk()?;
    }
    // SAFETY: the host supports these vectors.
    if !unsafe { are_inside::<V>(addresses, offsets, mask, exec, last) } {
        return None;
    }
    let bytes = bytes.as_mut_ptr();
    for vector in 0..LANES / V::WIDTH {
        let active = active::<V>(exec, vector);
        if active == 0 {
            continue;
        }
        // SAFETY: the elements of active lanes are in bounds.
        unsafe {
            let mut to = [part::<V>(addresses, vector); COUNT];
            let mut are_rows = active == all::<V>();
            for (to, &offset) in to.iter_mut().zip(offsets) {
                *to = places(*to, offset, mask);
                are_rows &= !to.differs(to.first().plus(apart(size)));
            }
            if COUNT > 1 {
                let apart = to[0].number().abs_diff(to[COUNT - 1].number()) as usize;
                are_rows &= apart >= V::WIDTH * size;
            }
            if !are_rows {
                put_each(data, vector, to, active, bytes);
                continue;
            }
            for (data, to) in data.into_iter().zip(to) {
                let mut to = bytes.wrapping_add(to.number() as usize);
                for row in ordered::<V, DWORDS>(data, vector) {
                    to.cast::<V>().write_unaligned(row);
                    to = to.wrapping_add(size_of::<V>());
                }
            }
        }
    }
    Some(())
}

/// Implements [`super::store`] for `DWORDS` registers.
#[inline(always)]
unsafe fn store<V: Vector, const DWORDS: usize>(
    places: &Lanes,
    exec: u64,
    bytes: *mut u8,
    from: &[Lanes],
) -> Option<()> {
    let data = from.first_chunk::<DWORDS>()?;
    for vector in 0..LANES / V::WIDTH {
        let active = active::<V>(exec, vector);
        if active != 0 {
            // SAFETY: guaranteed by the caller.
            unsafe {
                put_each::<V, DWORDS, 1>([data], vector, [part(places, vector)], active, bytes)
            };
        }
    }
    Some(())
}

/// Returns the consecutive elements of a vector's lanes.
#[inline(always)]
unsafe fn ordered<V: Vector, const DWORDS: usize>(
    data: &[Lanes; DWORDS],
    vector: usize,
) -> [V; DWORDS] {
    let mut dwords = [part(&data[0], vector); DWORDS];
    for (dwords, register) in dwords.iter_mut().zip(data) {
        *dwords = part(register, vector);
    }
    // SAFETY: the host supports these vectors.
    unsafe { V::in_order(dwords) }
}

/// Stores the elements of a vector's active lanes, one lane at a time.
#[inline(always)]
unsafe fn put_each<V: Vector, const DWORDS: usize, const COUNT: usize>(
    data: [&[Lanes; DWORDS]; COUNT],
    vector: usize,
    places: [V; COUNT],
    active: u16,
    bytes: *mut u8,
) {
    let mut elements = [[places[0]; DWORDS]; COUNT];
    for (elements, data) in elements.iter_mut().zip(data) {
        // SAFETY: guaranteed by the caller.
        *elements = unsafe { ordered(data, vector) };
    }
    let elements: *const [u32; DWORDS] = elements.as_ptr().cast();
    let places: *const u32 = places.as_ptr().cast();
    // SAFETY: the host supports these vectors; the caller guarantees that the elements are writable.
    unsafe {
        if active == all::<V>() {
            for lane in 0..V::WIDTH {
                put::<V, DWORDS, COUNT>(elements, places, lane, bytes);
            }
            return;
        }
        for lane in 0..V::WIDTH {
            if active >> lane & 1 != 0 {
                put::<V, DWORDS, COUNT>(elements, places, lane, bytes);
            }
        }
    }
}

/// Stores one lane's elements from the ordered elements of all lanes of a vector.
#[inline(always)]
unsafe fn put<V: Vector, const DWORDS: usize, const COUNT: usize>(
    elements: *const [u32; DWORDS],
    places: *const u32,
    lane: usize,
    bytes: *mut u8,
) {
    for n in 0..COUNT {
        let number = n * V::WIDTH + lane;
        let from = elements.wrapping_add(number).cast::<u8>();
        // SAFETY: there are `COUNT` vectors of offsets and elements; the caller guarantees that the destinations are
        // writable.
        unsafe {
            let to = bytes.wrapping_add(places.wrapping_add(number).read() as usize);
            match DWORDS {
                1 => copy_dword(from, to),
                2 => copy_pair(from, to),
                3 => {
                    copy_pair(from, to);
                    // The second pair overlaps the first.
                    copy_pair(from.wrapping_add(DWORD), to.wrapping_add(DWORD));
                }
                _ => copy_quad(from, to),
            }
        }
    }
}

/// Defines copies that consist of one host load and one host store; see `moves`.
macro_rules! copies {
    ($($(#[$doc:meta])* $name:ident $class:ident $size:literal $instruction:literal;)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// The host must have AVX2, and the bytes must be readable at `from` and writable at `to`.
        #[inline]
        #[target_feature(enable = "avx2")]
        unsafe fn $name(from: *const u8, to: *mut u8) {
            // SAFETY: the caller guarantees that the bytes are accessible.
            unsafe {
                std::arch::asm!(
                    concat!($instruction, " {dwords", $size, "}, [{from}]"),
                    concat!($instruction, " [{to}], {dwords", $size, "}"),
                    dwords = out($class) _,
                    from = in(reg) from,
                    to = in(reg) to,
                    options(nostack, preserves_flags),
                );
            }
        }
    )*};
}

copies! {
    /// Copies a dword.
    copy_dword reg ":e" "mov";
    /// Copies two dwords.
    copy_pair reg ":r" "mov";
    /// Copies four dwords.
    copy_quad xmm_reg "" "vmovdqu";
}

/// Defines entry points that are compiled for a level.
macro_rules! levels {
    ($($level:ident $feature:literal $Vector:ident;)*) => {$(
        pub(super) mod $level {
            use std::arch::x86_64::$Vector;

            use super::{Called, Elements, Lanes};

            /// Implements [`super::super::Gather`] for `COUNT` elements of `DWORDS` dwords per lane.
            #[target_feature(enable = $feature)]
            pub fn gather<const DWORDS: usize, const COUNT: usize>(
                elements: &Elements,
                exec: u64,
                bytes: &[u8],
                registers: &mut [Lanes],
            ) -> Option<()> {
                // SAFETY: the function is called only on hosts with the feature.
                unsafe { super::gather::<$Vector, DWORDS, COUNT>(elements, exec, bytes, registers) }
            }

            /// Implements [`super::super::load`] for `DWORDS` registers. `mask` is applied to the addresses.
            ///
            /// # Safety
            /// The bytes of `memory` must be readable.
            #[target_feature(enable = $feature)]
            pub unsafe fn load<const DWORDS: usize>(
                addresses: &Lanes,
                mask: u32,
                exec: u64,
                memory: (*const u8, usize),
                into: &mut [Lanes],
            ) -> Option<()> {
                // SAFETY: the function is called only on hosts with the feature; the caller guarantees the rest.
                unsafe { super::load::<$Vector, DWORDS>(addresses, mask, exec, memory, into) }
            }

            /// Implements [`Elements::scatter`] for `COUNT` elements of `DWORDS` dwords per lane.
            #[target_feature(enable = $feature)]
            pub fn scatter<const DWORDS: usize, const COUNT: usize>(
                elements: &Elements,
                exec: u64,
                bytes: &mut [u8],
                registers: &[Lanes],
            ) -> Option<()> {
                // SAFETY: the function is called only on hosts with the feature.
                unsafe { super::scatter::<$Vector, DWORDS, COUNT>(elements, exec, bytes, registers) }
            }

            /// Implements [`super::super::store`] for `DWORDS` registers.
            ///
            /// # Safety
            /// The elements' bytes must be writable.
            #[target_feature(enable = $feature)]
            pub unsafe fn store<const DWORDS: usize>(
                places: &Lanes,
                exec: u64,
                bytes: *mut u8,
                from: &[Lanes],
            ) -> Option<()> {
                // SAFETY: as above.
                unsafe { super::store::<$Vector, DWORDS>(places, exec, bytes, from) }
            }

            impl Called for $Vector {
                #[inline(never)]
                #[target_feature(enable = $feature)]
                unsafe fn load_apart<const DWORDS: usize>(
                    addresses: &Lanes,
                    offsets: &[u32],
                    mask: u32,
                    exec: u64,
                    memory: (*const u8, usize),
                    into: &mut [Lanes],
                ) -> Option<()> {
                    // SAFETY: the function is called only on hosts with the feature; the caller guarantees the rest.
                    unsafe {
                        super::load_apart::<$Vector, DWORDS>(
                            addresses, offsets, mask, exec, memory, into,
                        )
                    }
                }
            }
        }
    )*};
}

levels! {
    avx2 "avx2" __m256i;
    avx512 "avx512f" __m512i;
}
