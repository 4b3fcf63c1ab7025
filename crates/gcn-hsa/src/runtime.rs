//! Process-wide runtime: agents, and all objects that the program creates.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use gcn_console::program::attached;
use gcn_report::program::say::say;
use gcn_report::program::{ProgramChecks, Watch, forks};
use gcn_report::settings::{Settings, host_memory, overriding_target};
use gcn_runtime::{Chip, Device};

use crate::abi::{Handle, SystemCallback};
use crate::agents::{Agent, uuid};
use crate::copies::CopyJob;
use crate::handlers::HandlerCall;
use crate::handles::Handles;
use crate::images::Images;
use crate::loader::Loader;
use crate::mappings::Mappings;
use crate::pools::{MemoryPool, Pools};
use crate::queues::Queue;
use crate::signals::{Signal, SignalTable};
use crate::status::{HsaResult, Status};
use crate::workers::TaskWorker;

/// Assumed host memory size in bytes if Linux does not report the size.
const HOST_MEMORY: u64 = 16 << 30;

/// Environment variable of AMD's library that lists the visible devices.
const VISIBLE: &str = "ROCR_VISIBLE_DEVICES";

/// Number of initialisations minus number of shutdowns.
static COUNT: AtomicU32 = AtomicU32::new(0);
/// Runtime, or `None` if its creation has failed. The first initialisation creates the runtime. It is never dropped,
/// since destructors of the program call API functions after the last shutdown.
static RUNTIME: OnceLock<Option<Runtime>> = OnceLock::new();

/// Agents, and the tables of all objects that the program creates.
#[derive(Debug)]
pub(crate) struct Runtime {
    /// Agents, starting with the host CPU.
    pub(crate) agents: Vec<Agent>,
    pub(crate) watch: Watch,
    pub(crate) signals: SignalTable,
    pub(crate) pools: Pools,
    pub(crate) mappings: Mappings,
    pub(crate) loader: Loader,
    pub(crate) handlers: Arc<TaskWorker<HandlerCall>>,
    pub(crate) copies: Arc<TaskWorker<CopyJob>>,
    pub(crate) groups: Handles<Vec<Signal>>,
    pub(crate) images: Images,
    /// Queues, by the address that identifies them to the program.
    queues: RwLock<HashMap<u64, Arc<Queue>>>,
    /// True once a queue, and therefore a queue thread, has been created.
    has_served: AtomicBool,
    events: Mutex<Vec<(SystemCallback, usize)>>,
}

/// Returns the runtime if it is initialised in the current process.
pub(crate) fn get() -> HsaResult<&'static Runtime> {
    if COUNT.load(SeqCst) == 0 || forks::is_child() {
        return Err(Status::NOT_INITIALIZED);
    }
    existing().ok_or(Status::NOT_INITIALIZED)
}

gcn_report::end_watch_at_exit!(existing().map(|runtime| &runtime.watch));

/// Returns the runtime if it has ever been initialised.
pub(crate) fn existing() -> Option<&'static Runtime> {
    RUNTIME.get()?.as_ref()
}

/// Initialises the runtime on the first call, and increments the initialisation count on every call.
pub(crate) fn initialise() -> HsaResult {
    if forks::refuse("HSA (or HIP)") {
        return Err(Status::ERROR);
    }
    let made = RUNTIME.get_or_init(|| match Runtime::new() {
        Ok(runtime) => Some(runtime),
        Err(problem) => {
            say(&format!("error: {problem}"));
            None
        }
    });
    if made.is_none() {
        return Err(Status::ERROR);
    }
    let counted = COUNT.fetch_update(SeqCst, SeqCst, |count| count.checked_add(1));
    forks::watch();
    counted.map(drop).map_err(|_| Status::REFCOUNT_OVERFLOW)
}

/// Decrements the initialisation count, and destroys all remaining queues when the count reaches 0. As with AMD's
/// library, a child process forked after that may initialise the runtime, unless this process has started queue or
/// worker threads, which the child lacks.
pub(crate) fn shut_down() -> HsaResult {
    let runtime = get()?;
    let count = COUNT.fetch_update(SeqCst, SeqCst, |count| count.checked_sub(1));
    if count == Ok(1) {
        let mut queues = runtime
            .queues
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        let left: Vec<_> = queues.drain().map(|(_, queue)| queue).collect();
        drop(queues);
        for queue in left {
            queue.destroy();
        }
        let has_threads = runtime.handlers.has_thread() || runtime.copies.has_thread();
        if !has_threads && !runtime.has_served.load(SeqCst) {
            forks::unwatch();
            // Another thread may have initialised the runtime again.
            if COUNT.load(SeqCst) > 0 {
                forks::watch();
            }
        }
    }
    count.map(drop).map_err(|_| Status::NOT_INITIALIZED)
}

/// Returns the indices of the visible devices: those that `list` names by index or UUID, in list order, or all devices
/// if `list` is `None`. As in AMD's library, an unknown or repeated entry ends the list.
fn visible(list: Option<&str>, count: usize) -> Vec<usize> {
    let Some(list) = list else {
        return (0..count).collect();
    };
    let mut seen = Vec::new();
    for entry in list.split(',').map(str::trim) {
        let named = (0..count).find(|number| entry == number.to_string() || entry == uuid(*number));
        match named.filter(|number| !seen.contains(number)) {
            Some(number) => seen.push(number),
            None => break,
        }
    }
    seen
}

impl Runtime {
    fn new() -> Result<Runtime, String> {
        let text = |error: &dyn std::fmt::Display| error.to_string();
        let settings = Settings::from_env().map_err(|error| text(&error))?;
        let devices = settings.devices().map_err(|error| text(&error))?;
        let mut all: Vec<Device> = Vec::new();
        for builder in devices {
            // Pools limit the memory that programs allocate; other memory that kernels use is unlimited.
            let builder = builder.without_host_calls().memory(u64::MAX);
            let builder = match overriding_target(all.len())? {
                Some(target) => builder.code_target(target),
                None => builder,
            };
            let builder = match all.first() {
                Some(first) => builder.memory_of(first),
                None => builder,
            };
            all.push(builder.build());
        }
        let mut agents = vec![Agent::host(host_memory("MemTotal").unwrap_or(HOST_MEMORY))];
        let wanted = std::env::var(VISIBLE).ok();
        for number in visible(wanted.as_deref(), all.len()) {
            let device = all[number].clone();
            let target = device.target();
            if target.version().0 < 7 {
                return Err(format!(
                    "GCN_TARGET: HSA and HIP do not support {}, only chips of GCN 1.1 and later; `gcn run` and OpenCL programs \
                     do",
                    target.name
                ));
            }
            let chip = Chip::of(target);
            let memory = settings.device_memory();
            agents.push(Agent::device(agents.len(), (number, device), chip, memory));
        }
        let device = all.first().ok_or("GCN_TARGET names no device")?;
        if agents.len() == 1 {
            // Fail like AMD's library without a device: HIP crashes if the host CPU is the only agent.
            return Err(format!("{VISIBLE} leaves no device"));
        }
        let signals = SignalTable::new(device).map_err(|_| "there is no memory for signals")?;
        let watch = Watch::new(&settings, device)?.controlled_by(attached(&settings));
        let undefines = watch.checks().is_some_and(ProgramChecks::undefines);
        Ok(Runtime {
            signals,
            pools: Pools::new(device, watch.checks().is_some(), undefines),
            watch,
            mappings: Mappings::default(),
            loader: Loader::default(),
            handlers: Arc::default(),
            copies: Arc::default(),
            groups: Handles::default(),
            images: Images::default(),
            queues: RwLock::default(),
            has_served: AtomicBool::new(false),
            events: Mutex::default(),
            agents,
        })
    }

    pub(crate) fn agent(&self, handle: Handle) -> HsaResult<&Agent> {
        let index = Agent::index_of(handle).ok_or(Status::INVALID_AGENT)?;
        self.agents.get(index).ok_or(Status::INVALID_AGENT)
    }

    /// Looks up the agent to which an instruction set handle belongs.
    pub(crate) fn agent_of_isa(&self, isa: Handle) -> HsaResult<&Agent> {
        let index = Agent::index_of_isa(isa).ok_or(Status::INVALID_ISA)?;
        let agent = self.agents.get(index).filter(|agent| agent.isa().is_some());
        agent.ok_or(Status::INVALID_ISA)
    }

    /// Looks up a pool and its agent.
    pub(crate) fn pool(&self, handle: Handle) -> Option<(MemoryPool, &Agent)> {
        let pool = MemoryPool::of(handle)?;
        let agent = self.agents.get(pool.agent)?;
        agent
            .pools()
            .any(|own| own == pool)
            .then_some((pool, agent))
    }

    /// Looks up a queue by its address.
    pub(crate) fn queue(&self, address: u64) -> HsaResult<Arc<Queue>> {
        let queues = self.queues.read().unwrap_or_else(PoisonError::into_inner);
        queues.get(&address).cloned().ok_or(Status::INVALID_QUEUE)
    }

    pub(crate) fn add_queue(&self, queue: Arc<Queue>) {
        let mut queues = self.queues.write().unwrap_or_else(PoisonError::into_inner);
        queues.insert(queue.address(), queue);
        self.has_served.store(true, SeqCst);
    }

    pub(crate) fn remove_queue(&self, address: u64) -> HsaResult<Arc<Queue>> {
        let mut queues = self.queues.write().unwrap_or_else(PoisonError::into_inner);
        queues.remove(&address).ok_or(Status::INVALID_QUEUE)
    }

    /// Adds a system event handler, which is called for memory faults.
    pub(crate) fn add_event_handler(&self, handler: SystemCallback, data: usize) {
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        events.push((handler, data));
    }

    pub(crate) fn event_handlers(&self) -> Vec<(SystemCallback, usize)> {
        self.events
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_chooses_devices_until_an_entry_names_none() {
        for (list, expected) in [
            (None, &[0, 1, 2][..]),
            (Some("2,0"), &[2, 0]),
            (Some("1, GPU-0000000067636e00"), &[1, 0]),
            (Some("1,3,0"), &[1]),
            (Some("0,0,1"), &[0]),
            (Some(""), &[]),
        ] {
            assert_eq!(visible(list, 3), expected, "{list:?}");
        }
    }
}
