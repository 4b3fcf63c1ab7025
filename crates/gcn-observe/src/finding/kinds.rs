//! Tables of checks and finding kinds, with their stable names and the texts for `gcn explain`.

use std::fmt;

/// Severity of a finding.
///
/// # Examples
/// ```
/// use gcn_observe::finding::{Kind, Severity};
/// assert!(Severity::Warning < Severity::Error);
/// assert_eq!(Kind::EarlyEnd.about().severity.to_string(), "warning");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The behaviour is legal, but often unintended.
    Warning,
    /// The result is wrong or depends on timing.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Warning => "warning",
            Severity::Error => "error",
        })
    }
}

/// Defines the checks.
macro_rules! checks {
    ($($(#[doc = $doc:literal])+ $id:ident $name:literal $default:ident)*) => {
        /// A checker.
        ///
        /// # Examples
        /// ```
        /// use gcn_observe::finding::Check;
        /// let usual = Check::ALL.iter().filter(|check| check.is_default()).map(|check| check.name());
        /// assert!(usual.eq(["waits", "races", "barriers", "hazards", "uninit", "bounds"]));
        /// ```
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Check {
            $($(#[doc = $doc])+ $id,)*
        }

        impl Check {
            /// Every checker.
            pub const ALL: &'static [Check] = &[$(Check::$id),*];

            /// Name in options.
            pub const fn name(self) -> &'static str {
                match self { $(Check::$id => $name),* }
            }

            /// True if the check is enabled by default.
            pub const fn is_default(self) -> bool {
                match self { $(Check::$id => checks!(@$default)),* }
            }
        }
    };
    (@on) => { true };
    (@off) => { false };
}

checks! {
    /// Registers and LDS used without waiting for the outstanding operations on them.
    Waits "waits" on
    /// Unordered memory accesses by different waves.
    Races "races" on
    /// Barriers that only a part of a workgroup reaches.
    Barriers "barriers" on
    /// Races between lanes under the rules of OpenCL, including those that lockstep execution hides.
    Lanes "lanes" off
    /// Pairs of instructions with too few wait states between them, and reads of VCCZ while it may be wrong.
    Hazards "hazards" on
    /// Undefined values that affect control flow or addresses, or remain in buffers.
    Uninit "uninit" on
    /// Accesses that are out of bounds or forbidden, such as stores to read-only buffers.
    Bounds "bounds" on
    /// Divisions by zero, NaNs computed from numbers, and conversions of out-of-range numbers to integers.
    Arith "arith" off
    /// Misaligned accesses.
    Align "align" off
    /// Accesses through a pointer to one allocation that reach another allocation.
    Provenance "provenance" off
}

impl Check {
    /// Returns the check named `name`.
    ///
    /// # Errors
    /// Fails if the name is unknown; the message lists the valid ones.
    ///
    /// # Examples
    /// ```
    /// use gcn_observe::finding::Check;
    /// assert_eq!(Check::named("waits"), Ok(Check::Waits));
    /// assert!(Check::named("wait").unwrap_err().starts_with("no check is called `wait`; the checks are waits, "));
    /// ```
    pub fn named(name: &str) -> Result<Check, String> {
        let found = Check::ALL.iter().copied().find(|it| it.name() == name);
        found.ok_or_else(|| {
            let names: Vec<&str> = Check::ALL.iter().map(|it| it.name()).collect();
            format!(
                "no check is called `{name}`; the checks are {}",
                names.join(", ")
            )
        })
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Explanation of a finding kind.
///
/// # Examples
/// ```
/// use gcn_observe::finding::{Check, Kind};
/// let about = Kind::MissingWaitStates.about();
/// assert_eq!((about.name, about.check), ("missing-wait-states", Check::Hazards));
/// assert!(about.example.contains("; needs s_nop 3 before it") && about.remedy.starts_with("Put S_NOP"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KindInfo {
    /// Name shown after the severity, such as `missing-wait` in `error[missing-wait]`.
    pub name: &'static str,
    /// Checker that reports the finding.
    pub check: Check,
    /// Severity of the finding.
    pub severity: Severity,
    /// Explanation of the finding, in sentences.
    pub meaning: &'static str,
    /// Code with the problem.
    pub example: &'static str,
    /// Explanation of the fix, in sentences.
    pub remedy: &'static str,
    /// Document or erratum that states the rule.
    pub source: &'static str,
}

/// Defines the kinds.
macro_rules! kinds {
    ($($id:ident $name:literal $check:ident $severity:ident
        meaning $meaning:literal
        example $example:literal
        remedy $remedy:literal
        source $source:literal)*) => {
        /// Kind of a finding.
        ///
        /// # Examples
        /// ```
        /// use gcn_observe::finding::{Check, Kind};
        /// let of_waits = Kind::ALL.iter().filter(|kind| kind.about().check == Check::Waits);
        /// assert!(of_waits.map(|kind| kind.name()).eq(["missing-wait", "source-overwritten", "missing-lds-wait"]));
        /// ```
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Kind {
            $(#[doc = $meaning] $id,)*
        }

        impl Kind {
            /// Every kind.
            pub const ALL: &'static [Kind] = &[$(Kind::$id),*];

            /// Name, severity and explanation.
            pub const fn about(self) -> &'static KindInfo {
                match self {
                    $(Kind::$id => &KindInfo {
                        name: $name,
                        check: Check::$check,
                        severity: Severity::$severity,
                        meaning: $meaning,
                        example: $example,
                        remedy: $remedy,
                        source: $source,
                    },)*
                }
            }
        }
    };
}

kinds! {
    MissingWait "missing-wait" Waits Error
        meaning "A register is read, or written by another instruction, while an operation that will write it may be incomplete. \
                 Hardware does not wait by itself: the instruction sees the old value or the new one."
        example "global_load_dword v2, v[0:1], off\nv_add_f32 v3, v2, v2    ; needs s_waitcnt vmcnt(0) before it"
        remedy "Before the instruction, wait for the counter that the operation increments: vmcnt for vector memory, lgkmcnt \
                for LDS, GDS and scalar memory, both for FLAT. Vector memory and LDS complete in order, so a count above 0 may \
                suffice; scalar memory, and different kinds of operations on one counter, need 0."
        source "checklist 5; errata E043, E046, E082, E083"
    SourceOverwritten "source-overwritten" Waits Error
        meaning "A register is written while an export, a GDS operation or, on GCN 1.0, a store to vector memory may still have to \
                 read it."
        example "exp mrt0 v0, v1, v2, v3 done\nv_mov_b32 v0, 0    ; needs s_waitcnt expcnt(0) before it"
        remedy "Wait for expcnt before the register is written, or use another register."
        source "checklist 5; errata E043, E250"
    MissingLdsWait "missing-lds-wait" Waits Error
        meaning "LDS is read while an operation that writes it may be incomplete: a load to LDS, which vmcnt counts, or an LDS \
                 write of another wave that reached the barrier without waiting for lgkmcnt. Or LDS is written after a barrier \
                 that another wave reached before its read or write of the same bytes was complete."
        example "ds_write_b32 v0, v1\ns_barrier    ; needs s_waitcnt lgkmcnt(0) before it\nds_read_b32 v2, v3"
        remedy "Wait before the barrier, in the wave whose access is incomplete: lgkmcnt for LDS instructions, vmcnt for loads to LDS."
        source "checklist 5; errata E089, E251"
    LdsRace "lds-race" Races Error
        meaning "Two waves of a workgroup access the same bytes of LDS, at least one of them writes, and nothing orders them: \
                 the result depends on which comes first."
        example "ds_write_b32 v0, v1\nds_read_b32 v2, v3    ; reads what another wave writes: needs s_waitcnt lgkmcnt(0) and s_barrier before it"
        remedy "Put a wait for lgkmcnt and then a barrier between the accesses, or make both atomic."
        source "the memory model of LLVM's \"User Guide for AMDGPU Backend\", GFX6-GFX9"
    GlobalRace "global-race" Races Error
        meaning "Two waves, of one workgroup, of two workgroups, or of two dispatches that run at the same time, access the \
                 same bytes of global memory, at least one of them writes, and nothing orders them; or a wave accesses memory \
                 that the host writes, or writes memory that the host reads, while the kernel runs. Caches make it worse: \
                 without an invalidation, a wave may read an old value long afterwards. Likewise, a dispatch whose packet has \
                 no acquire fence may read old values of memory that an earlier dispatch has written."
        example "global_store_dword v0, v1, s[0:1]    ; data\nglobal_store_dword v2, v3, s[0:1]    ; flag: needs s_waitcnt vmcnt(0) before it"
        remedy "Within a workgroup, use a barrier. Across workgroups, release the written data (wait for vmcnt 0, then an \
                atomic or a store to a flag) and acquire it (an atomic or GLC load of the flag, a wait for it, BUFFER_WBINVL1, \
                and S_DCACHE_INV for scalar loads); or split the kernel in two. Order dispatches with one stream or an event, \
                and have the host wait for the kernel before it reads results. Give packets an acquire fence with agent or \
                system scope."
        source "the memory model of LLVM's \"User Guide for AMDGPU Backend\", GFX6-GFX9; errata E124"
    LaneRace "lane-race" Races Error
        meaning "Two lanes of one instruction store different values to one address. Which value remains is unspecified."
        example "v_mov_b32 v0, 0\nglobal_store_dword v0, v1, s[0:1]    ; v1 is different in each lane"
        remedy "Leave one lane active, give each lane its own address, or use an atomic."
        source "errata E047"
    SameValueRace "same-value-race" Races Warning
        meaning "Two waves store the same value to one address, and nothing orders them. On these chips the result is the same \
                 in any order; by the rules of OpenCL and C++ it is a race."
        example "global_store_dword v0, v1, s[0:1]    ; every wave sets the same flag to 1"
        remedy "Use an atomic, or have one wave store; or leave it as it is."
        source "the memory model of LLVM's \"User Guide for AMDGPU Backend\", GFX6-GFX9"
    DivergentBarrier "divergent-barrier" Barriers Error
        meaning "Lanes of a wave are masked off at a barrier and continue after it: they have skipped it. Hardware counts \
                 waves and does not notice; by the rules of OpenCL and HIP, either all work-items of a workgroup reach a \
                 barrier or none do."
        example "s_and_saveexec_b64 s[2:3], vcc\ns_barrier    ; only the lanes of vcc\ns_or_b64 exec, exec, s[2:3]"
        remedy "Move the barrier out of the condition or the loop."
        source "OpenCL C, work-group synchronization functions; the ISA manuals, S_BARRIER"
    MismatchedBarriers "mismatched-barriers" Barriers Error
        meaning "Waves of a workgroup meet at a barrier while they are at different S_BARRIER instructions. Hardware treats \
                 these as one barrier; by the rules of OpenCL and HIP they are two, and not all work-items reach either."
        example "s_cbranch_scc1 other\ns_barrier\ns_branch end\nother:\ns_barrier\nend:"
        remedy "Use one barrier that all waves reach."
        source "OpenCL C, work-group synchronization functions; the ISA manuals, S_BARRIER"
    BarrierDeadlock "barrier-deadlock" Barriers Error
        meaning "A wave waits at a barrier for another wave of its workgroup that is blocked elsewhere, or that runs until the \
                 instruction limit or the timeout. Often the other wave waits for something that the first does only after the \
                 barrier."
        example "spin: ds_read_b32 v0, v1    ; a flag that another wave sets after its barrier\ns_waitcnt lgkmcnt(0)\nv_cmp_eq_u32 vcc, 0, v0\ns_cbranch_vccnz spin\ns_barrier"
        remedy "Have all waves reach the barrier, or set the flag before it."
        source "the ISA manuals, S_BARRIER"
    EarlyEnd "early-end" Barriers Warning
        meaning "A wave has ended, and other waves of its workgroup reach a barrier later. Hardware does not wait for waves \
                 that have ended, so this works; by the rules of OpenCL and HIP, the work-items that ended should have reached \
                 the barrier."
        example "s_cbranch_scc1 end\ns_barrier\nend:\ns_endpgm"
        remedy "Let all waves reach the barrier: skip the work, not the barrier."
        source "OpenCL C, work-group synchronization functions; the ISA manuals, S_BARRIER"
    PartialBarrier "partial-barrier" Barriers Warning
        meaning "Lanes of a wave are masked off at a barrier, and the wave ends before they access memory or reach another \
                 barrier: they have returned before it, or skipped it. Hardware counts waves, so this works; by the rules of \
                 OpenCL and HIP, the missing work-items should have reached the barrier. If they make up a whole wave, the \
                 finding is `early-end`."
        example "v_cmp_gt_u32 vcc, 100, v0\ns_and_saveexec_b64 s[2:3], vcc    ; the others return\ns_barrier\ns_endpgm"
        remedy "Let all work-items reach the barrier: skip the work, not the barrier."
        source "OpenCL C, work-group synchronization functions; the ISA manuals, S_BARRIER"
    MissingWaitStates "missing-wait-states" Hazards Error
        meaning "Two instructions have fewer instructions between them than the hardware requires: the later one reads the \
                 value from before the earlier one, or overwrites a value that the earlier one still needs. Each instruction \
                 is one wait state, `s_nop N` is N + 1."
        example "v_readfirstlane_b32 s4, v0\nv_readlane_b32 s5, v1, s4    ; needs s_nop 3 before it"
        remedy "Put S_NOP or unrelated instructions between the two."
        source "checklist 6; errata E107, E252"
    WrongVccz "wrong-vccz" Hazards Error
        meaning "A branch tests VCCZ, or an instruction reads it, while the flag may not match VCC: after a write to one half \
                 of VCC, which does not update VCCZ, or, on GCN 1.0 and 1.1, after a scalar load to any destination, which may \
                 change the flag until it completes."
        example "s_mov_b32 vcc_lo, s4\ns_cbranch_vccz done    ; needs s_mov_b64 vcc, vcc before it"
        remedy "Write VCC as a whole before the branch, if only to itself (`s_mov_b64 vcc, vcc`); on GCN 1.0 and 1.1 wait for lgkmcnt 0 before \
                that; or branch on SCC."
        source "checklist 4.15; errata E332"
    UninitializedAddress "uninitialized-address" Uninit Error
        meaning "An address, a descriptor or the index of a register depends on an undefined value: a register that neither \
                 the hardware nor the kernel has set, or bytes of LDS, scratch or a buffer that nothing has written."
        example "global_load_dword v2, v[4:5], off    ; the kernel has not set v[4:5]"
        remedy "Set the value on every path that leads to the instruction. Up to GCN 1.2, LDS instructions also depend on M0: \
            set it first."
        source "checklist 2.5, 2.29; errata E035"
    UninitializedBranch "uninitialized-branch" Uninit Error
        meaning "A branch tests SCC or VCC, or jumps to an address, that depends on an undefined value."
        example "s_cmp_eq_u32 s20, 0    ; the kernel has not set s20\ns_cbranch_scc1 done"
        remedy "Set the value on every path that leads to the branch. The bits of inactive lanes in a lane mask count, too: \
                mask them with EXEC."
        source "checklist 2.29"
    UninitializedExec "uninitialized-exec" Uninit Error
        meaning "EXEC is written with a bit that depends on an undefined value: the condition of a branch is undefined in some \
            lane."
        example "v_cmp_lt_u32 vcc, v9, v0    ; the kernel has not set v9\ns_and_saveexec_b64 s[2:3], vcc"
        remedy "Set the value on every path that leads to the instruction, in every lane that is active there."
        source "checklist 2.29"
    UninitializedResult "uninitialized-result" Uninit Error
        meaning "An instruction stores undefined bits to global memory, and they are still there when the host can read them: \
                 when the kernel ends; for memory that a HIP program has from hipMalloc, when the program copies it to the \
                 host; for a buffer that `gcn check` was given as undefined, when it is printed, saved or compared. The \
                 padding of structures and of three-element vectors is not reported."
        example "global_store_dword v[0:1], v9, off    ; the kernel has not set v9"
        remedy "Set the value before it is stored, in every lane that stores it."
        source "checklist 2.29"
    UnwrittenResult "unwritten-result" Uninit Error
        meaning "`--print`, `--save` or `--expect` reads elements of a buffer whose contents are undefined (`--arg \
                 x=f32*100:undefined`), and no kernel has written them: they hold what was in memory before. Copies to the \
                 host by HIP and OpenCL programs do not count, since these often copy a whole buffer but use only a part of \
                 it."
        example "gcn check halves.cl --grid 64 --arg out=u32*128:undefined --print out    # the kernel writes out[0] to out[63]"
        remedy "Write every element, or print only those that the kernel writes: `--print out[0..64]`. If the old contents \
                matter, as for an accumulator, clear the buffer first: `--arg out=u32*128`."
        source "checklist 2.29"
    GlobalOutOfBounds "global-out-of-bounds" Bounds Error
        meaning "Global memory is accessed at bytes that are not all within one allocation. The run ends there with a fault."
        example "global_load_dword v2, v[0:1], off offset:4    ; v[0:1] is the last dword of a buffer"
        remedy "Compare the index with the buffer's length: the last workgroup may have more work-items than there are elements."
        source "errata E105"
    UseAfterFree "use-after-free" Bounds Error
        meaning "Memory is accessed that the host has freed. The run ends there with a fault."
        example "global_load_dword v2, v[0:1], off    ; v[0:1] is in a buffer that has been freed"
        remedy "Wait for the kernel before the buffer is freed; do not keep its address in other buffers."
        source "errata E105"
    WorkgroupBeyondKernel "workgroup-beyond-kernel" Bounds Warning
        meaning "A dispatch packet has a workgroup size that the kernel was not compiled for: more work-items than its \
                 metadata's `.max_flat_workgroup_size`, or sizes other than `.reqd_workgroup_size`. Hardware executes it, but \
                 the compiler may have relied on the size to leave out barriers, or high bits of indices. HIP and OpenCL \
                 refuse these launches."
        example ".max_flat_workgroup_size: 64    # and a packet with workgroup_size_x 256"
        remedy "Compile the kernel for the size (`__launch_bounds__(256)`, `reqd_work_group_size`), or launch smaller workgroups."
        source "LLVM's \"User Guide for AMDGPU Backend\", code object metadata"
    LdsOutOfBounds "lds-out-of-bounds" Bounds Error
        meaning "LDS is accessed beyond the bytes that the kernel and its launch ask for, or, up to GCN 1.2, beyond M0. \
                 Hardware loads 0 and drops stores there, or accesses the bytes by which the allocation was rounded up."
        example "ds_read_b32 v1, v0 offset:1024    ; the kernel has 1024 bytes of LDS"
        remedy "Ask for more LDS, or compare the index with the array's length. Set M0 to -1 before LDS instructions up to GCN 1.2."
        source "checklist 2.5-2.8; errata E035, E036, E038"
    ScratchOutOfBounds "scratch-out-of-bounds" Bounds Error
        meaning "Scratch is accessed beyond the bytes that a lane has. Through the scratch buffer descriptor, the access may \
                 reach the scratch of another lane or wave."
        example "scratch_store_dword v0, v1, off    ; v0 is not below the kernel's scratch"
        remedy "Compare the index with the array's length; give a kernel whose stack depends on the run more scratch."
        source "checklist 3.25; errata E087"
    BufferOutOfBounds "buffer-out-of-bounds" Bounds Warning
        meaning "An access through a buffer descriptor is beyond its bounds. Hardware loads 0 and drops stores there, which \
                 kernels for matrices of arbitrary size rely on at the edges."
        example "buffer_load_dword v1, v0, s[0:3], 0 offen    ; v0 is not below s2"
        remedy "Compare the index with the number of records, or make the descriptor larger. Suppress the finding if zeros are \
            intended."
        source "errata E119, E308"
    StoreToReadOnly "store-to-read-only" Bounds Error
        meaning "A kernel writes a buffer although all arguments that point to it are declared read-only, or although the \
                 program has created it as read-only for kernels (`CL_MEM_READ_ONLY`). These chips perform the store; in \
                 OpenCL the result is undefined."
        example "global_store_dword v[0:1], v2, off    ; v[0:1] is of an argument `global const int *`"
        remedy "Declare the argument without const, create the buffer with other flags, or correct the address."
        source "metadata of code objects, .is_const and .actual_access; OpenCL, clCreateBuffer"
    LoadFromWriteOnly "load-from-write-only" Bounds Error
        meaning "A kernel reads a buffer that the program has created as write-only for kernels (`CL_MEM_WRITE_ONLY`); an \
                 atomic reads, too. These chips perform the load; in OpenCL the result is undefined."
        example "global_load_dword v2, v[0:1], off    ; v[0:1] is in a buffer of clCreateBuffer(context, CL_MEM_WRITE_ONLY, ...)"
        remedy "Create the buffer with CL_MEM_READ_WRITE, or correct the address."
        source "OpenCL, clCreateBuffer"
    MappedBufferAccess "mapped-buffer-access" Bounds Error
        meaning "A kernel reads or writes a region of a buffer that the program has mapped for writing (`CL_MAP_WRITE`, \
                 `CL_MAP_WRITE_INVALIDATE_REGION`), or writes one that it has mapped for reading (`CL_MAP_READ`). In OpenCL \
                 the result is undefined: a device with its own memory works on a different copy than the host. Kernels may \
                 read a region that is mapped for reading only."
        example "global_store_dword v[0:1], v2, off    ; v[0:1] is in a region of clEnqueueMapBuffer(queue, buffer, ...)"
        remedy "Call clEnqueueUnmapMemObject before the launch (clEnqueueNDRangeKernel), in the same in-order queue, or with \
                its event in the launch's wait list. If kernels read a region meanwhile, map it with CL_MAP_READ alone."
        source "OpenCL, \"Accessing Mapped Regions of a Memory Object\""
    WrittenAfterUnmap "written-after-unmap" Bounds Error
        meaning "A kernel reads bytes of a buffer that the program has written through the pointer of clEnqueueMapBuffer after \
                 it called clEnqueueUnmapMemObject. In OpenCL the result is undefined: on a device with its own memory the \
                 kernel does not see the writes. The check compares the contents of a region when it is unmapped with those \
                 when the next kernel that has the buffer starts; the finding is about bytes that differ and that no command \
                 has written in between."
        example "global_load_dword v2, v[0:1], off    ; mapped[0] = 1 after clEnqueueUnmapMemObject(queue, buffer, mapped, ...)"
        remedy "Write before clEnqueueUnmapMemObject, or map the buffer again. For memory that host and kernels share for \
                longer, use shared virtual memory (clSVMAlloc)."
        source "OpenCL, \"Accessing Mapped Regions of a Memory Object\""
    SubBufferOverrun "sub-buffer-overrun" Bounds Error
        meaning "A kernel whose argument is a part of a buffer (clCreateSubBuffer) accesses bytes of the buffer outside that \
                 part, which no other argument covers. Nothing faults, because the memory exists, but it belongs to another \
                 part."
        example "global_store_dword v[0:1], v2, off offset:1024    ; v[0:1] is a sub-buffer of 1024 bytes"
        remedy "Compare the index with the size of the sub-buffer, or pass the whole buffer to the kernel."
        source "OpenCL, clCreateSubBuffer; OpenCL C, additive operators: pointer arithmetic stays within an object"
    DivideByZero "divide-by-zero" Arith Warning
        meaning "The result of a reciprocal of zero, or of a division by zero, is used. In floating point it is infinite or a \
                 NaN, as IEEE 754 specifies; an integer division gives an arbitrary number, and is undefined in OpenCL C and \
                 C++. Compilers build integer divisions from floating-point reciprocals, with the same instruction."
        example "v_cvt_f32_u32 v1, v1    ; v1 is 0 in a lane\nv_rcp_iflag_f32 v1, v1"
        remedy "Compare the denominator with zero before the division, or mask off lanes that have no work."
        source "errata E194; OpenCL C, arithmetic operators; IEEE 754, 7.3"
    NanProduced "nan-produced" Arith Warning
        meaning "An instruction produces a NaN from operands that are not NaN, such as infinity minus infinity, 0 times \
                 infinity or the square root of a negative number, and the NaN, or one computed from it, is stored."
        example "v_sqrt_f32 v1, v0    ; v0 is -1 in a lane\nglobal_store_dword v[2:3], v1, off"
        remedy "Keep the operands within the domain of the operation, or test the result before it is stored."
        source "IEEE 754, 7.2"
    FloatToIntOverflow "float-to-int-overflow" Arith Warning
        meaning "A number outside the range of an integer type, or infinity, is converted to the type, and the result is used. \
                 The instruction gives the nearest integer of the type; in C++ the result is undefined, in OpenCL C it depends \
                 on the device."
        example "v_cvt_u32_f32 v1, v0    ; v0 is -1.0 in a lane\nglobal_store_dword v[2:3], v1, off"
        remedy "Clamp the number to the range of the type, or use a wider type; in OpenCL C convert with `_sat`."
        source "the ISA manuals, V_CVT_U32_F32 and similar instructions; C++, floating-integral conversions"
    MisalignedAccess "misaligned-access" Align Warning
        meaning "An address is not a multiple of the alignment that the memory requires: a dword for scalar memory; the access \
                 size up to a dword for global memory and scratch, and the whole size for atomics; the access size for LDS, on \
                 GCN 1.4 up to a dword. Depending on the memory and the alignment mode, hardware allows the access, ignores \
                 the low bits of the address, or faults."
        example "s_load_dword s4, s[2:3], 0x0    ; s2 is 0x1002: hardware loads from 0x1000"
        remedy "Align the data, or access it in smaller parts; a compiler does so for pointers that are declared unaligned \
            (`packed`)."
        source "errata E040, E041, E042, E104, E113"
    WrongBuffer "wrong-buffer" Provenance Error
        meaning "An address computed from a pointer to one allocation lies in another: the index or the offset is wrong, and \
                 happens to reach other memory. The access does not fault, and reads or overwrites unrelated data."
        example "s_add_u32 s4, s4, 0x20000    ; s[4:5] is a pointer to a buffer of 4096 bytes\ns_addc_u32 s5, s5, 0\ns_load_dword s6, s[4:5], 0x0"
        remedy "Compare the index with the length of the buffer that the pointer is for; access another buffer through a \
            pointer to it."
        source "OpenCL C and C++, additive operators: pointer arithmetic stays within an object"
}

impl Kind {
    /// Stable name.
    pub const fn name(self) -> &'static str {
        self.about().name
    }
}
