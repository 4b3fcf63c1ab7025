//! Help for findings about races.

use super::extent::ShadowedMemory;
use crate::finding::Help;

/// Help for a race between waves of a workgroup.
pub(super) fn in_workgroup(memory: ShadowedMemory) -> Help {
    let fence = match memory {
        ShadowedMemory::Lds => "CLK_LOCAL_MEM_FENCE",
        ShadowedMemory::Global => "CLK_GLOBAL_MEM_FENCE",
    };
    Help::new("`s_barrier` between both accesses, behind waits for what the waves have written")
        .opencl(format!("`barrier({fence})` between both accesses"))
        .hip("`__syncthreads()` between both accesses")
}

/// Help for a race between workgroups.
pub(super) fn across_workgroups() -> Help {
    Help::new(
        "a release (waits, then an atomic or a store) behind the first, and an acquire (an atomic or GLC load, a wait for it, \
         `buffer_wbinvl1`) before the second; or two dispatches",
    )
    .opencl(
        "an atomic function, such as `atomic_fetch_add`, for both accesses; or between them a flag that is stored with \
         `memory_order_release` and loaded with `memory_order_acquire`, both with `memory_scope_device`; or two kernels",
    )
    .hip(
        "an atomic function, such as `atomicAdd`, for both accesses; or between them a flag that is set by an atomic function \
         behind `__threadfence()` and read by one before `__threadfence()`; or two kernels",
    )
}

/// Help for a load that lacks only an invalidation of its cache.
pub(super) fn invalidation(is_scalar: bool) -> Help {
    let machine = if is_scalar {
        "`s_dcache_inv`"
    } else {
        "`buffer_wbinvl1`"
    };
    let opencl =
        "`atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device)`";
    Help::new(machine)
        .opencl(opencl)
        .hip("`__threadfence()`")
        .and(" before the load, whose cache may hold what was there before")
}

/// Help for a race between lanes of an instruction.
pub(super) fn in_instruction() -> Help {
    Help::new("a condition that leaves one lane active, or an atomic where all values count")
        .opencl("a condition under which one work-item stores, or an atomic function where all values count")
        .hip("a condition under which one thread stores, or an atomic function where all values count")
}

/// Help for a race between kernel and host.
pub(super) fn with_host() -> Help {
    Help::new(
        "the host waits for the kernel first: it synchronises the stream or waits for the event, or copies in the kernel's stream or \
         in-order queue",
    )
    .opencl(
        "the host waits for the kernel first: by the kernel's event, by `clFinish`, or by a copy in the kernel's in-order queue",
    )
    .hip(
        "the host waits for the kernel first: by `hipStreamSynchronize`, by an event, or by a copy in the kernel's stream",
    )
}

/// Help for a race between concurrent dispatches.
pub(super) fn between_dispatches() -> Help {
    Help::new(
        "an order between the dispatches: one stream or in-order queue for both, an event that the second one waits for, or a \
         barrier packet with the first one's signal",
    )
    .opencl(
        "an order between the kernels: one in-order queue for both, or the first one's event in the second one's wait list",
    )
    .hip(
        "an order between the kernels: one stream for both, or `hipStreamWaitEvent` for an event behind the first one",
    )
}

/// Help for a dispatch without acquire fence, which no OpenCL or HIP call omits.
pub(super) fn fence_of_dispatch() -> Help {
    Help::new(
        "an acquire fence in the header of the second packet, of the scope of the agent at least: the caches may hold what was \
         there before",
    )
}
