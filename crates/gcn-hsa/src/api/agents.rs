//! API functions for agents and their instruction sets, caches and wavefronts.

use std::ffi::{c_char, c_void};

use super::{array, call, each, put, put_info, text};
use crate::abi::{Handle, HandleCallback};
use crate::info::{Info, unknown};
use crate::numbers::*;
use crate::status::Status;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_iterate_agents(
    callback: Option<HandleCallback>,
    data: *mut c_void,
) -> Status {
    call(|runtime| {
        let handles = runtime.agents.iter().map(|agent| agent.handle());
        // SAFETY: the program guarantees that the callback is valid.
        unsafe { each(handles, callback, data) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_agent_get_info(
    agent: Handle,
    attribute: u32,
    value: *mut c_void,
) -> Status {
    call(|runtime| {
        let agent = runtime.agent(agent)?;
        let info = match attribute {
            HSA_AMD_AGENT_INFO_MEMORY_AVAIL => {
                let used = runtime.pools.used(agent.index());
                Ok(Info::U64(agent.memory.saturating_sub(used)))
            }
            _ => agent.info(attribute),
        };
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put_info(value, info) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_agent_get_exception_policies(
    agent: Handle,
    _profile: u32,
    mask: *mut u16,
) -> Status {
    call(|runtime| {
        runtime.agent(agent)?;
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put(mask, 0) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_agent_iterate_isas(
    agent: Handle,
    callback: Option<HandleCallback>,
    data: *mut c_void,
) -> Status {
    call(|runtime| {
        let isa = runtime.agent(agent)?.isa();
        // SAFETY: the program guarantees that the callback is valid.
        unsafe { each(isa, callback, data) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_isa_from_name(name: *const c_char, isa: *mut Handle) -> Status {
    call(|runtime| {
        // SAFETY: the program guarantees a valid string.
        let name = unsafe { text(name) }?;
        let named = |agent: &&crate::agents::Agent| {
            agent.isa().is_some() && covers(name, &agent.isa_name())
        };
        let agent = runtime
            .agents
            .iter()
            .find(named)
            .ok_or(Status::INVALID_ISA_NAME)?;
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put(isa, agent.isa().ok_or(Status::INVALID_ISA_NAME)?) }
    })
}

/// Returns true if an agent with the instruction set `agent` can run code for the instruction set `code`: both name the
/// same processor, and `agent` contains every feature setting of `code`.
fn covers(code: &str, agent: &str) -> bool {
    let mut wanted = code.split(':');
    let features: Vec<&str> = agent.split(':').skip(1).collect();
    wanted.next() == agent.split(':').next() && wanted.all(|feature| features.contains(&feature))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_isa_get_info_alt(
    isa: Handle,
    attribute: u32,
    value: *mut c_void,
) -> Status {
    call(|runtime| {
        let info = runtime.agent_of_isa(isa)?.isa_info(attribute);
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put_info(value, info) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_isa_get_info(
    isa: Handle,
    attribute: u32,
    index: u32,
    value: *mut c_void,
) -> Status {
    if index != 0 {
        return Status::INVALID_INDEX;
    }
    // SAFETY: both functions have the same safety contract.
    unsafe { hsa_isa_get_info_alt(isa, attribute, value) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_isa_get_exception_policies(
    isa: Handle,
    _profile: u32,
    mask: *mut u16,
) -> Status {
    call(|runtime| {
        runtime.agent_of_isa(isa)?;
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put(mask, 0) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_isa_get_round_method(
    isa: Handle,
    _fp: u32,
    _flush: u32,
    method: *mut u32,
) -> Status {
    /// `HSA_ROUND_METHOD_SINGLE`: fused operations round once.
    const SINGLE: u32 = 1;
    call(|runtime| {
        runtime.agent_of_isa(isa)?;
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put(method, SINGLE) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_isa_compatible(
    code: Handle,
    agent: Handle,
    result: *mut bool,
) -> Status {
    call(|runtime| {
        let code = runtime.agent_of_isa(code)?.isa_name();
        let agent = runtime.agent_of_isa(agent)?.isa_name();
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put(result, covers(&code, &agent)) }
    })
}

/// Handle of the only wavefront, equal to its number of lanes.
const WAVEFRONT: Handle = 64;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_isa_iterate_wavefronts(
    isa: Handle,
    callback: Option<HandleCallback>,
    data: *mut c_void,
) -> Status {
    call(|runtime| {
        runtime.agent_of_isa(isa)?;
        // SAFETY: the program guarantees that the callback is valid.
        unsafe { each([WAVEFRONT], callback, data) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_wavefront_get_info(
    wavefront: Handle,
    attribute: u32,
    value: *mut c_void,
) -> Status {
    call(|_| {
        let info = match (wavefront, attribute) {
            (WAVEFRONT, 0) => Ok(Info::U32(WAVEFRONT as u32)),
            (WAVEFRONT, _) => Err(Status::INVALID_ARGUMENT),
            _ => Err(Status::INVALID_WAVEFRONT),
        };
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put_info(value, info) }
    })
}

/// Cache levels that agents report.
const LEVELS: [u8; 2] = [1, 2];
/// Distance between handles of cache levels: a cache's handle is its agent's handle plus the level times this value.
const CACHE: Handle = 1 << 20;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_agent_iterate_caches(
    agent: Handle,
    callback: Option<HandleCallback>,
    data: *mut c_void,
) -> Status {
    call(|runtime| {
        let agent = runtime.agent(agent)?;
        let caches = LEVELS
            .iter()
            .filter(|level| agent.cache(**level).is_some())
            .map(|level| agent.handle() + CACHE * Handle::from(*level));
        // SAFETY: the program guarantees that the callback is valid.
        unsafe { each(caches, callback, data) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_cache_get_info(
    cache: Handle,
    attribute: u32,
    value: *mut c_void,
) -> Status {
    call(|runtime| {
        let level = |level: &&u8| {
            let agent = cache.checked_sub(CACHE * Handle::from(**level));
            agent.is_some_and(|agent| runtime.agent(agent).is_ok())
        };
        let level = *LEVELS.iter().find(level).ok_or(Status::INVALID_CACHE)?;
        let agent = runtime.agent(cache - CACHE * Handle::from(level))?;
        let kibibytes = agent.cache(level).ok_or(Status::INVALID_CACHE)?;
        let name = format!("{} L{level}", agent.name());
        let info = match attribute {
            HSA_CACHE_INFO_NAME_LENGTH => Ok(Info::U32(name.len() as u32)),
            HSA_CACHE_INFO_NAME => Ok(Info::Name(name)),
            HSA_CACHE_INFO_LEVEL => Ok(Info::U8(level)),
            HSA_CACHE_INFO_SIZE => Ok(Info::U32(kibibytes << 10)),
            _ => Err(unknown("a cache", attribute)),
        };
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put_info(value, info) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_amd_coherency_get_type(agent: Handle, kind: *mut u32) -> Status {
    /// `HSA_AMD_COHERENCY_TYPE_COHERENT`: all shared memory is coherent.
    const COHERENT: u32 = 0;
    call(|runtime| {
        runtime.agent(agent)?;
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put(kind, COHERENT) }
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn hsa_amd_coherency_set_type(agent: Handle, kind: u32) -> Status {
    // Memory is always coherent, which also satisfies the non-coherent type.
    call(|runtime| match kind {
        0 | 1 => runtime.agent(agent).map(drop),
        _ => Err(Status::INVALID_ARGUMENT),
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_amd_agents_allow_access(
    count: u32,
    agents: *const Handle,
    _flags: *const u32,
    address: *const c_void,
) -> Status {
    call(|runtime| {
        // SAFETY: the program guarantees that the array is valid.
        for agent in unsafe { array(agents, count) }? {
            runtime.agent(*agent)?;
        }
        // All agents already have access to pool memory.
        let known = runtime.pools.find(address.addr() as u64);
        known.map(drop).ok_or(Status::INVALID_ARGUMENT)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn hsa_amd_agent_set_async_scratch_limit(agent: Handle, _bytes: usize) -> Status {
    // As in ROCr on chips that cannot reclaim scratch from running queues. These include all GCN chips.
    call(|runtime| {
        runtime
            .agent(agent)?
            .emulated()
            .ok_or(Status::INVALID_AGENT)?;
        Err(Status::INVALID_ARGUMENT)
    })
}
