//! Code object readers and executables: code objects loaded on agents, their symbols, and their kernels by descriptor
//! address.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::ffi::CString;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use gcn_object::{Bytes, SymbolKind, SymbolSection};
use gcn_report::program::say::say;
use gcn_runtime::{Error, Kernel, Module};

use crate::abi::{Handle, SegmentDescriptor};
use crate::agents::Agent;
use crate::handles::Handles;
use crate::info::{Info, unknown};
use crate::numbers::*;
use crate::status::{HsaResult, Status};

/// Suffix of kernel descriptor symbols.
const DESCRIPTOR: &str = ".kd";
/// ELF section flag `SHF_WRITE`.
const SECTION_WRITE: u64 = 1;
/// Alignment of kernarg segments in bytes.
const ARGUMENT_ALIGNMENT: u32 = 16;

/// Code object reader, with the contents and the origin of the code object.
#[derive(Debug)]
pub(crate) struct CodeReader {
    pub(crate) bytes: Bytes<'static>,
    pub(crate) origin: CodeOrigin,
}

/// Origin of the code object that a program passed to a code object reader.
#[derive(Clone, Debug)]
pub(crate) enum CodeOrigin {
    /// Address in program memory.
    Memory(u64),
    /// File descriptor and path of a file, and the offset of the code object in bytes.
    File {
        descriptor: i32,
        path: CString,
        offset: u64,
    },
}

impl CodeOrigin {
    fn storage_type(&self) -> u32 {
        match self {
            CodeOrigin::File { .. } => HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_FILE,
            CodeOrigin::Memory(_) => HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_MEMORY,
        }
    }
}

impl CodeReader {
    /// Returns the code object's URI, with which debuggers and profilers find the code object.
    fn uri(&self) -> String {
        let size = self.bytes.len();
        match &self.origin {
            CodeOrigin::Memory(address) => {
                format!(
                    "memory://{}#offset={address:#x}&size={size}",
                    std::process::id()
                )
            }
            CodeOrigin::File { path, offset, .. } => {
                let path = path.to_string_lossy();
                format!("file://{path}#offset={offset:#x}&size={size}")
            }
        }
    }
}

/// Code object loaded on an agent.
#[derive(Debug)]
pub(crate) struct LoadedObject {
    pub(crate) executable: Handle,
    agent: Handle,
    module: Module,
    reader: Arc<CodeReader>,
    symbols: Vec<Handle>,
}

impl LoadedObject {
    pub(crate) fn module(&self) -> &Module {
        &self.module
    }

    fn range(&self) -> Range<u64> {
        let loaded = self.module.loaded();
        loaded.address..loaded.address + loaded.size
    }

    /// Returns the value of `attribute`, an `hsa_ven_amd_loader_loaded_code_object_info_t`.
    pub(crate) fn info(&self, attribute: u32) -> HsaResult<Info> {
        let loaded = self.module.loaded();
        let range = self.range();
        let uri = self.reader.uri();
        Ok(match (attribute, &self.reader.origin) {
            (HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_EXECUTABLE, _) => {
                Info::U64(self.executable)
            }
            (HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_KIND, _) => {
                Info::U32(HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_KIND_AGENT)
            }
            (HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_AGENT, _) => Info::U64(self.agent),
            (HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_TYPE, origin) => {
                Info::U32(origin.storage_type())
            }
            (
                HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_BASE,
                CodeOrigin::Memory(address),
            ) => Info::U64(*address),
            (
                HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_SIZE,
                CodeOrigin::Memory(_),
            ) => Info::U64(self.reader.bytes.len() as u64),
            (
                HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_FILE,
                CodeOrigin::File { descriptor, .. },
            ) => Info::U32(descriptor.cast_unsigned()),
            (HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_DELTA, _) => {
                Info::U64(loaded.address.wrapping_sub(loaded.linked))
            }
            (HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_BASE, _) => Info::U64(range.start),
            (HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_SIZE, _) => {
                Info::U64(range.end - range.start)
            }
            (HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI_LENGTH, _) => {
                Info::U32(uri.len() as u32)
            }
            (HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI, _) => Info::Chars(uri),
            _ => return Err(unknown("a loaded code object", attribute)),
        })
    }

    fn segment(&self) -> SegmentDescriptor {
        let range = self.range();
        let (base, size) = match &self.reader.origin {
            CodeOrigin::File { path, .. } => {
                let path = path.as_bytes_with_nul();
                (path.as_ptr().addr() as u64, path.len())
            }
            CodeOrigin::Memory(address) => (*address, self.reader.bytes.len()),
        };
        SegmentDescriptor {
            agent: self.agent,
            executable: self.executable,
            code_object_storage_type: self.reader.origin.storage_type(),
            code_object_storage_base: base,
            code_object_storage_size: size,
            code_object_storage_offset: 0,
            segment_base: range.start,
            segment_size: (range.end - range.start) as usize,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct ExecutableSymbol {
    /// Name in the code object; kernel names end in `.kd`.
    pub(crate) name: String,
    pub(crate) agent: Handle,
    is_global: bool,
    kind: SymbolContents,
}

#[derive(Clone, Debug)]
enum SymbolContents {
    Kernel(Box<Kernel>),
    Variable {
        address: u64,
        size: u64,
        is_constant: bool,
    },
}

impl ExecutableSymbol {
    /// Returns the value of `attribute`, an `hsa_executable_symbol_info_t`.
    pub(crate) fn info(&self, attribute: u32) -> HsaResult<Info> {
        let general = match attribute {
            HSA_EXECUTABLE_SYMBOL_INFO_TYPE => Info::U32(match self.kind {
                SymbolContents::Variable { .. } => HSA_SYMBOL_KIND_VARIABLE,
                SymbolContents::Kernel(_) => HSA_SYMBOL_KIND_KERNEL,
            }),
            HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH => Info::U32(self.name.len() as u32),
            HSA_EXECUTABLE_SYMBOL_INFO_NAME => Info::Chars(self.name.clone()),
            HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME_LENGTH => Info::U32(0),
            HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME => Info::Chars(String::new()),
            HSA_EXECUTABLE_SYMBOL_INFO_AGENT => Info::U64(self.agent),
            // Linkage: 0 for module, 1 for program.
            HSA_EXECUTABLE_SYMBOL_INFO_LINKAGE => Info::U32(self.is_global.into()),
            HSA_EXECUTABLE_SYMBOL_INFO_IS_DEFINITION => Info::Bool(true),
            _ => return self.special_info(attribute),
        };
        Ok(general)
    }

    fn special_info(&self, attribute: u32) -> HsaResult<Info> {
        match &self.kind {
            SymbolContents::Variable {
                address,
                size,
                is_constant,
            } => Ok(match attribute {
                HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS => Info::U64(*address),
                // `HSA_VARIABLE_ALLOCATION_AGENT`.
                HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALLOCATION => Info::U32(0),
                // Segment: 0 for global, 1 for read-only.
                HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SEGMENT => Info::U32((*is_constant).into()),
                HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALIGNMENT => {
                    Info::U32(1 << address.trailing_zeros().min(12))
                }
                HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE => {
                    Info::U32(u32::try_from(*size).unwrap_or(u32::MAX))
                }
                HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_IS_CONST => Info::Bool(*is_constant),
                _ => return Err(Status::INVALID_ARGUMENT),
            }),
            SymbolContents::Kernel(kernel) => {
                let description = kernel.description();
                let descriptor = &description.descriptor;
                let metadata = description.metadata.as_ref();
                let segment = metadata.map(|metadata| metadata.kernarg_segment_size);
                Ok(match attribute {
                    HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT => Info::U64(kernel_object(kernel)),
                    HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE => {
                        let bytes = segment.unwrap_or(u64::from(descriptor.kernarg_size));
                        Info::U32(u32::try_from(bytes).unwrap_or(u32::MAX))
                    }
                    HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT => {
                        Info::U32(ARGUMENT_ALIGNMENT)
                    }
                    HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE => {
                        Info::U32(descriptor.group_segment_fixed_size)
                    }
                    HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE => {
                        Info::U32(descriptor.private_segment_fixed_size)
                    }
                    HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK => {
                        Info::Bool(descriptor.kernel_code_properties.uses_dynamic_stack())
                    }
                    HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_CALL_CONVENTION => Info::U32(0),
                    _ => return Err(Status::INVALID_ARGUMENT),
                })
            }
        }
    }
}

/// Returns the kernel object with which dispatch packets identify a kernel: the address of its descriptor.
fn kernel_object(kernel: &Kernel) -> u64 {
    let loaded = kernel.module().loaded();
    loaded.moved(kernel.description().descriptor_address)
}

#[derive(Debug)]
pub(crate) struct Executable {
    handle: Handle,
    state: Mutex<LoaderState>,
}

#[derive(Debug, Default)]
struct LoaderState {
    is_frozen: bool,
    objects: Vec<Handle>,
    /// Addresses of variables defined by the program, by agent handle (0 for all agents) and name.
    externals: HashMap<(Handle, String), u64>,
}

impl Executable {
    fn state(&self) -> MutexGuard<'_, LoaderState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_frozen(&self) -> bool {
        self.state().is_frozen
    }

    pub(crate) fn freeze(&self) -> HsaResult {
        if std::mem::replace(&mut self.state().is_frozen, true) {
            return Err(Status::FROZEN_EXECUTABLE);
        }
        Ok(())
    }

    pub(crate) fn objects(&self) -> Vec<Handle> {
        self.state().objects.clone()
    }

    /// Defines an external variable for code objects loaded later. `agent` is 0 for all agents.
    pub(crate) fn define(&self, agent: Handle, name: &str, address: u64) -> HsaResult {
        let mut state = self.state();
        if state.is_frozen {
            return Err(Status::FROZEN_EXECUTABLE);
        }
        match state.externals.entry((agent, name.to_owned())) {
            Entry::Occupied(_) => Err(Status::VARIABLE_ALREADY_DEFINED),
            Entry::Vacant(place) => {
                place.insert(address);
                Ok(())
            }
        }
    }
}

/// Code object readers, executables and loaded code objects of the process.
#[derive(Debug, Default)]
pub(crate) struct Loader {
    pub(crate) readers: Handles<CodeReader>,
    pub(crate) executables: Handles<Executable>,
    pub(crate) objects: Handles<LoadedObject>,
    pub(crate) symbols: Handles<ExecutableSymbol>,
    /// Kernels by descriptor address.
    kernels: RwLock<HashMap<u64, Kernel>>,
}

impl Loader {
    pub(crate) fn create(&self) -> Handle {
        self.executables.add(|handle| Executable {
            handle,
            state: Mutex::default(),
        })
    }

    /// Returns the modules of all loaded code objects.
    pub(crate) fn modules(&self) -> Vec<Module> {
        let objects = self.objects.all().into_iter();
        objects.map(|(_, object)| object.module().clone()).collect()
    }

    /// Looks up a kernel by its kernel object, the address of its descriptor.
    pub(crate) fn kernel(&self, object: u64) -> Option<Kernel> {
        let kernels = self.kernels.read().unwrap_or_else(PoisonError::into_inner);
        kernels.get(&object).cloned()
    }

    /// Loads a code object on an agent, and returns the handle of the loaded code object.
    pub(crate) fn load(
        &self,
        executable: &Executable,
        agent: &Agent,
        reader: Arc<CodeReader>,
    ) -> HsaResult<Handle> {
        let device = agent.emulated().ok_or(Status::INVALID_AGENT)?;
        let externals = {
            let state = executable.state();
            if state.is_frozen {
                return Err(Status::FROZEN_EXECUTABLE);
            }
            state.externals.clone()
        };
        let failed = |status: Status, why: &dyn std::fmt::Display| {
            say(&format!(
                "a code object cannot be loaded for {}: {why}",
                agent.isa_name()
            ));
            status
        };
        let object = gcn_object::read(reader.bytes.clone());
        let object = object.map_err(|error| failed(Status::INVALID_CODE_OBJECT, &error))?;
        let id = object.target_id();
        if !agent.runs(&id) {
            let why = format!("its code is for {id}");
            return Err(failed(Status::INCOMPATIBLE_ARGUMENTS, &why));
        }
        let find = |name: &str| {
            let of = |agent| externals.get(&(agent, name.to_owned())).copied();
            of(agent.handle()).or_else(|| of(0))
        };
        let module = Module::link(device, object, &find).map_err(|error| {
            let status = match &error {
                Error::NoCode { .. } | Error::SrameccOff(_) => Status::INCOMPATIBLE_ARGUMENTS,
                Error::Memory(_) => Status::OUT_OF_RESOURCES,
                Error::Load(load) => match &**load {
                    gcn_runtime::hsa::LoadError::Memory(_) => Status::OUT_OF_RESOURCES,
                    gcn_runtime::hsa::LoadError::Relocations(_) => Status::VARIABLE_UNDEFINED,
                    _ => Status::INVALID_CODE_OBJECT,
                },
                _ => Status::INVALID_CODE_OBJECT,
            };
            failed(status, &error)
        })?;
        let symbols = symbols(&module, agent.handle())?;
        // Another thread may have frozen the executable since the first check. The lock prevents that until the object is added.
        let mut state = executable.state();
        if state.is_frozen {
            return Err(Status::FROZEN_EXECUTABLE);
        }
        let mut kernels = self.kernels.write().unwrap_or_else(PoisonError::into_inner);
        for symbol in &symbols {
            if let SymbolContents::Kernel(kernel) = &symbol.kind {
                kernels.insert(kernel_object(kernel), (**kernel).clone());
            }
        }
        drop(kernels);
        let symbols = symbols
            .into_iter()
            .map(|symbol| self.symbols.add(|_| symbol))
            .collect();
        let handle = self.objects.add(|_| LoadedObject {
            executable: executable.handle,
            agent: agent.handle(),
            module,
            reader,
            symbols,
        });
        state.objects.push(handle);
        Ok(handle)
    }

    /// Destroys an executable and its code objects. Running kernels keep their code loaded.
    pub(crate) fn destroy(&self, handle: Handle) -> HsaResult {
        let executable = self.executables.remove(handle);
        let executable = executable.ok_or(Status::INVALID_EXECUTABLE)?;
        for object in executable.objects() {
            let Some(object) = self.objects.remove(object) else {
                continue;
            };
            for symbol in &object.symbols {
                let Some(symbol) = self.symbols.remove(*symbol) else {
                    continue;
                };
                if let SymbolContents::Kernel(kernel) = &symbol.kind {
                    let mut kernels = self.kernels.write().unwrap_or_else(PoisonError::into_inner);
                    kernels.remove(&kernel_object(kernel));
                }
            }
        }
        Ok(())
    }

    /// Returns the symbols of an executable on one agent, or on all agents.
    pub(crate) fn symbols_of(
        &self,
        executable: &Executable,
        agent: Option<Handle>,
    ) -> Vec<(Handle, Arc<ExecutableSymbol>)> {
        let objects = executable
            .objects()
            .into_iter()
            .filter_map(|object| self.objects.get(object));
        let handles = objects.flat_map(|object| object.symbols.clone());
        let symbols = handles.filter_map(|handle| Some((handle, self.symbols.get(handle)?)));
        symbols
            .filter(|(_, symbol)| agent.is_none_or(|agent| symbol.agent == agent))
            .collect()
    }

    /// Returns the loaded code object that contains an address.
    pub(crate) fn object_at(&self, address: u64) -> Option<Arc<LoadedObject>> {
        let mut objects = self.objects.all().into_iter().map(|(_, object)| object);
        objects.find(|object| object.range().contains(&address))
    }

    /// Returns descriptors of the segments loaded by all frozen executables.
    pub(crate) fn segments(&self) -> Vec<SegmentDescriptor> {
        let is_frozen = |object: &LoadedObject| {
            let executable = self.executables.get(object.executable);
            executable.is_some_and(|executable| executable.is_frozen())
        };
        let objects = self.objects.all().into_iter().map(|(_, object)| object);
        objects
            .filter(|object| is_frozen(object))
            .map(|object| object.segment())
            .collect()
    }
}

/// Returns the symbols of a module's kernels and variables.
fn symbols(module: &Module, agent: Handle) -> HsaResult<Vec<ExecutableSymbol>> {
    let object = module.object();
    let mut symbols = Vec::new();
    for description in &object.kernels {
        let kernel = module.kernel(&description.name);
        let kernel = kernel.map_err(|_| Status::INVALID_CODE_OBJECT)?;
        symbols.push(ExecutableSymbol {
            name: format!("{}{DESCRIPTOR}", description.name),
            agent,
            is_global: true,
            kind: SymbolContents::Kernel(Box::new(kernel)),
        });
    }
    let descriptors: HashSet<String> = symbols.iter().map(|symbol| symbol.name.clone()).collect();
    for symbol in &object.symbols {
        if symbol.kind != SymbolKind::Object
            || descriptors.contains(&symbol.name)
            || symbol.name.is_empty()
        {
            continue;
        }
        let SymbolSection::Section(index) = symbol.section else {
            continue;
        };
        let section = object.sections.get(index);
        symbols.push(ExecutableSymbol {
            name: symbol.name.clone(),
            agent,
            is_global: symbol.binding != gcn_object::Binding::Local,
            kind: SymbolContents::Variable {
                address: module.loaded().moved(symbol.value),
                size: symbol.size,
                is_constant: section.is_some_and(|section| section.flags & SECTION_WRITE == 0),
            },
        });
    }
    Ok(symbols)
}
