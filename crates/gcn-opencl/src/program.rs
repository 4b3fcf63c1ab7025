//! Programs: sources or binaries, and their builds for devices.

use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gcn_runtime::compile::{
    CompileError, Compiled, CompilerInput, Language, Product, Request, compile,
};
use gcn_runtime::program::say::say_once;
use gcn_runtime::{Error, Module};
use tempfile::TempDir;

use crate::abi::*;
use crate::context::Context;
use crate::device::Device;
use crate::handle::{self, Id, Object, object, references};
use crate::info::Info;
use crate::options::{self, Linking};
use crate::runtime;
use crate::status::{Outcome, Status};

/// The origin of a program.
#[derive(Clone, Debug)]
pub(crate) enum Origin {
    Source(String),
    Binary,
    /// Other programs that were linked.
    Linked,
}

/// The build of a program for a device.
#[derive(Clone, Debug)]
pub(crate) struct Build {
    /// `CL_BUILD_…`.
    status: i32,
    options: String,
    log: String,
    /// `CL_PROGRAM_BINARY_TYPE_…`.
    kind: u32,
    /// The code object, or what was compiled and not linked.
    binary: Arc<[u8]>,
    module: Option<Module>,
}

impl Default for Build {
    fn default() -> Build {
        Build {
            status: CL_BUILD_NONE,
            options: String::new(),
            log: String::new(),
            kind: CL_PROGRAM_BINARY_TYPE_NONE,
            binary: Arc::new([]),
            module: None,
        }
    }
}

impl Build {
    fn failed(options: &str, log: String) -> Build {
        Build {
            status: CL_BUILD_ERROR,
            options: options.to_owned(),
            log,
            ..Build::default()
        }
    }
}

/// A program.
pub(crate) struct Program {
    id: Id<Program>,
    pub(crate) context: Arc<Context>,
    /// The devices that it is for.
    pub(crate) devices: Vec<Arc<Device>>,
    origin: Origin,
    /// In the order of the devices.
    builds: Mutex<Vec<Build>>,
    /// Kernels that there are of it.
    kernels: AtomicUsize,
}

object!(Program, INVALID_PROGRAM);

/// A kernel's part in its program, which is not built anew while there are kernels.
pub(crate) struct Attached(Arc<Program>);

impl Attached {
    pub(crate) fn new(program: &Arc<Program>) -> Attached {
        program.kernels.fetch_add(1, SeqCst);
        Attached(program.clone())
    }

    pub(crate) fn program(&self) -> &Arc<Program> {
        &self.0
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        self.0.kernels.fetch_sub(1, SeqCst);
    }
}

/// Beginning of bitcode, which compiled and unlinked programs are.
const BITCODE: &[u8] = b"BC\xc0\xde";
/// Beginning of a library, in front of its bitcode.
const LIBRARY: &[u8] = b"gcn library 1\n\0\0";

/// Says that the program reads bytes of devices' memory, and reports what checks find by it.
pub(crate) fn host_reads(address: u64, bytes: u64) {
    let checks = runtime::made().and_then(|runtime| runtime.watch.checks());
    if let Some(checks) = checks {
        checks.reads(all_modules, (address, bytes));
    }
}

/// The modules of all programs.
fn all_modules() -> Vec<Module> {
    let programs = handle::all::<Program>().into_iter();
    let modules = programs.flat_map(|program| program.modules());
    modules.map(|(_, module)| module).collect()
}

/// The code object of a binary, loaded for a device.
fn load(device: &Device, binary: &[u8]) -> Result<Module, Error> {
    Module::load(&device.emulated, binary)
}

impl Program {
    /// A program of a source.
    pub(crate) fn of_source(id: Id<Program>, context: Arc<Context>, source: String) -> Program {
        let builds = vec![Build::default(); context.devices.len()];
        Program {
            id,
            devices: context.devices.clone(),
            context,
            origin: Origin::Source(source),
            builds: Mutex::new(builds),
            kernels: AtomicUsize::new(0),
        }
    }

    /// A program of a binary for each device.
    pub(crate) fn of_binaries(
        id: Id<Program>,
        context: Arc<Context>,
        binaries: Vec<(Arc<Device>, Binary)>,
    ) -> Program {
        let (devices, binaries): (Vec<_>, Vec<_>) = binaries.into_iter().unzip();
        let builds = binaries.into_iter().map(|binary| Build {
            kind: kind_of(&binary.bytes),
            binary: binary.bytes,
            module: binary.module,
            ..Build::default()
        });
        Program {
            id,
            devices,
            context,
            origin: Origin::Binary,
            builds: Mutex::new(builds.collect()),
            kernels: AtomicUsize::new(0),
        }
    }

    /// The program that others are linked to, for devices, and the end of the link.
    ///
    /// # Errors
    /// An option is none; a program has not been compiled for a device for which another one has been.
    pub(crate) fn link(
        context: &Arc<Context>,
        devices: &[Arc<Device>],
        options: &str,
        programs: &[Arc<Program>],
    ) -> Outcome<(impl FnOnce(Id<Program>) -> Program + use<>, Outcome)> {
        let linking = options::linking(options).map_err(|_| Status::INVALID_LINKER_OPTIONS)?;
        let mut linked = Vec::new();
        let mut result = Ok(());
        for device in devices {
            let parts = programs
                .iter()
                .filter_map(|it| it.unlinked(device))
                .collect::<Vec<_>>();
            if parts.is_empty() {
                continue;
            }
            if parts.len() != programs.len() {
                return Err(Status::INVALID_OPERATION);
            }
            let (build, outcome) = link_parts(device, &parts, options, &linking);
            result = result.and(outcome);
            linked.push((device.clone(), build));
        }
        if linked.is_empty() {
            return Err(Status::INVALID_OPERATION);
        }
        let (devices, builds): (Vec<_>, Vec<_>) = linked.into_iter().unzip();
        let context = context.clone();
        let make = move |id| Program {
            id,
            context,
            devices,
            origin: Origin::Linked,
            builds: Mutex::new(builds),
            kernels: AtomicUsize::new(0),
        };
        Ok((make, result))
    }

    /// The bitcode for a device.
    fn unlinked(&self, device: &Arc<Device>) -> Option<Arc<[u8]>> {
        let place = self
            .devices
            .iter()
            .position(|own| Arc::ptr_eq(own, device))?;
        let builds = self.builds();
        let build = builds.get(place)?;
        let is_unlinked = matches!(
            build.kind,
            CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT | CL_PROGRAM_BINARY_TYPE_LIBRARY
        );
        is_unlinked.then(|| build.binary.clone())
    }

    /// Compiles the program for devices, or for all of its, without linking it; `headers` are names and texts of what it may
    /// include.
    ///
    /// # Errors
    /// As [`Program::build`]; it has no source.
    pub(crate) fn compile(
        &self,
        devices: &[Arc<Device>],
        options: &str,
        headers: &[(String, Arc<Program>)],
    ) -> Outcome {
        self.check_detached()?;
        let Origin::Source(source) = &self.origin else {
            return Err(Status::INVALID_OPERATION);
        };
        let directory = Headers::new(headers)?;
        let mut result = Ok(());
        for place in self.places(devices)? {
            let device = &self.devices[place];
            let (build, outcome) = build_source(device, source, options, Some(&directory));
            self.builds()[place] = build;
            result = result.and(outcome.map_err(|error| match error {
                Status::INVALID_BUILD_OPTIONS => Status::INVALID_COMPILER_OPTIONS,
                Status::BUILD_PROGRAM_FAILURE => Status::COMPILE_PROGRAM_FAILURE,
                other => other,
            }));
        }
        result
    }

    fn source(&self) -> &str {
        match &self.origin {
            Origin::Source(source) => source,
            Origin::Binary | Origin::Linked => "",
        }
    }

    fn builds(&self) -> MutexGuard<'_, Vec<Build>> {
        self.builds.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Places of devices among those of the program; all without a list.
    ///
    /// # Errors
    /// A device is not the program's.
    fn places(&self, devices: &[Arc<Device>]) -> Outcome<Vec<usize>> {
        if devices.is_empty() {
            return Ok((0..self.devices.len()).collect());
        }
        let place = |device: &Arc<Device>| {
            let place = self.devices.iter().position(|own| Arc::ptr_eq(own, device));
            place.ok_or(Status::INVALID_DEVICE)
        };
        devices.iter().map(place).collect()
    }

    /// # Errors
    /// There are kernels of the program.
    fn check_detached(&self) -> Outcome {
        let is_detached = self.kernels.load(SeqCst) == 0;
        is_detached.then_some(()).ok_or(Status::INVALID_OPERATION)
    }

    /// Builds the program for devices, or for all of its.
    ///
    /// # Errors
    /// An option is none; a build fails, with a log that says why; there is no compiler.
    pub(crate) fn build(&self, devices: &[Arc<Device>], options: &str) -> Outcome {
        self.check_detached()?;
        let mut result = Ok(());
        for place in self.places(devices)? {
            let device = &self.devices[place];
            let (build, outcome) = match &self.origin {
                Origin::Source(source) => build_source(device, source, options, None),
                Origin::Binary => self.build_binary(place, options),
                Origin::Linked => return Err(Status::INVALID_OPERATION),
            };
            self.builds()[place] = build;
            result = result.and(outcome);
        }
        result
    }

    fn build_binary(&self, place: usize, options: &str) -> (Build, Outcome) {
        let old = self.builds()[place].clone();
        match old.module {
            Some(_) => {
                let build = Build {
                    status: CL_BUILD_SUCCESS,
                    options: options.to_owned(),
                    ..old
                };
                (build, Ok(()))
            }
            None => {
                let parts = [old.binary];
                link_parts(&self.devices[place], &parts, options, &Linking::default())
            }
        }
    }

    /// The module for a device, if it has been built.
    pub(crate) fn module(&self, device: &Arc<Device>) -> Option<Module> {
        let place = self
            .devices
            .iter()
            .position(|own| Arc::ptr_eq(own, device))?;
        let builds = self.builds();
        let build = builds.get(place)?;
        (build.status == CL_BUILD_SUCCESS).then(|| build.module.clone())?
    }

    /// The modules of all devices that it has been built for.
    pub(crate) fn modules(&self) -> Vec<(Arc<Device>, Module)> {
        let devices = self.devices.iter();
        devices
            .filter_map(|device| Some((device.clone(), self.module(device)?)))
            .collect()
    }

    /// Names of its kernels.
    ///
    /// # Errors
    /// It has not been built for any device.
    pub(crate) fn kernel_names(&self) -> Outcome<Vec<String>> {
        let modules = self.modules();
        let (_, first) = modules.first().ok_or(Status::INVALID_PROGRAM_EXECUTABLE)?;
        Ok(first.kernels().map(str::to_owned).collect())
    }

    /// The binaries of all devices.
    pub(crate) fn binaries(&self) -> Vec<Arc<[u8]>> {
        self.builds()
            .iter()
            .map(|build| build.binary.clone())
            .collect()
    }

    /// The value of an attribute, but for the binaries, which have places of the program's.
    ///
    /// # Errors
    /// There is no such attribute; it is one of programs that have been built.
    pub(crate) fn info(&self, name: u32) -> Outcome<Info> {
        Ok(match name {
            CL_PROGRAM_REFERENCE_COUNT => Info::from(references(self)),
            CL_PROGRAM_CONTEXT => Info::from(self.context.handle()),
            CL_PROGRAM_NUM_DEVICES => Info::from(self.devices.len() as u32),
            CL_PROGRAM_DEVICES => Info::array(self.devices.iter().map(|device| device.handle())),
            CL_PROGRAM_SOURCE => Info::text(self.source()),
            CL_PROGRAM_IL => Info::nothing(),
            CL_PROGRAM_BINARY_SIZES => Info::array(self.binaries().iter().map(|it| it.len())),
            CL_PROGRAM_NUM_KERNELS => Info::from(self.kernel_names()?.len()),
            CL_PROGRAM_KERNEL_NAMES => Info::text(&self.kernel_names()?.join(";")),
            CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT | CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT => {
                Info::bool(false)
            }
            _ => return Err(Status::INVALID_VALUE),
        })
    }

    /// The value of an attribute of the build for a device.
    ///
    /// # Errors
    /// There is no such attribute; the device is not the program's.
    pub(crate) fn build_info(&self, device: &Arc<Device>, name: u32) -> Outcome<Info> {
        let place = self.places(std::slice::from_ref(device))?;
        let builds = self.builds();
        let build = &builds[place[0]];
        Ok(match name {
            CL_PROGRAM_BUILD_STATUS => Info::from(build.status),
            CL_PROGRAM_BUILD_OPTIONS => Info::text(&build.options),
            CL_PROGRAM_BUILD_LOG => Info::text(&build.log),
            CL_PROGRAM_BINARY_TYPE => Info::from(build.kind),
            CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE => {
                Info::from(build.module.as_ref().map_or(0, global_variables))
            }
            _ => return Err(Status::INVALID_VALUE),
        })
    }
}

/// Bytes of a module's variables.
fn global_variables(module: &Module) -> usize {
    let sections = module.object().sections.iter();
    let of_variables = sections.filter(|it| it.name == ".data" || it.name == ".bss");
    of_variables.map(|it| it.size as usize).sum()
}

/// Sources that others include, in a directory.
struct Headers(TempDir);

impl Headers {
    /// Writes sources under the names that they are included by.
    ///
    /// # Errors
    /// A name leads out of the directory; the files cannot be written.
    fn new(headers: &[(String, Arc<Program>)]) -> Outcome<Headers> {
        let failed = |error: std::io::Error| {
            say_once(&format!(
                "sources that others include cannot be written: {error}"
            ));
            Status::OUT_OF_RESOURCES
        };
        let directory = tempfile::Builder::new()
            .prefix("gcn-")
            .tempdir()
            .map_err(failed)?;
        for (name, header) in headers {
            let below = Path::new(name);
            let is_below = |part| matches!(part, Component::Normal(_) | Component::CurDir);
            if name.is_empty() || !below.components().all(is_below) {
                return Err(Status::INVALID_VALUE);
            }
            let file = directory.path().join(below);
            if let Some(parent) = file.parent() {
                fs::create_dir_all(parent).map_err(failed)?;
            }
            fs::write(&file, header.source()).map_err(failed)?;
        }
        Ok(Headers(directory))
    }
}

/// The kind of a binary, by its beginning.
fn kind_of(binary: &[u8]) -> u32 {
    if binary.starts_with(LIBRARY) {
        CL_PROGRAM_BINARY_TYPE_LIBRARY
    } else if binary.starts_with(BITCODE) {
        CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT
    } else {
        CL_PROGRAM_BINARY_TYPE_EXECUTABLE
    }
}

/// Links bitcode for a device.
fn link_parts(
    device: &Device,
    parts: &[Arc<[u8]>],
    given: &str,
    linking: &Linking,
) -> (Build, Outcome) {
    let bare = |part: &Arc<[u8]>| {
        part.strip_prefix(LIBRARY)
            .map_or(part.to_vec(), <[u8]>::to_vec)
    };
    let modules: Vec<Vec<u8>> = parts.iter().map(bare).collect();
    let modules: Vec<&[u8]> = modules.iter().map(Vec::as_slice).collect();
    let target = device.target();
    let request = Request {
        target: Some(&target),
        options: &linking.options,
        product: if linking.is_library {
            Product::Bitcode
        } else {
            Product::Code
        },
        ..Request::new(CompilerInput::Bitcode(&modules), Language::Ir)
    };
    match compile(&request) {
        Ok(compiled) if linking.is_library => {
            let build = Build {
                status: CL_BUILD_SUCCESS,
                options: given.to_owned(),
                log: compiled.diagnostics,
                kind: CL_PROGRAM_BINARY_TYPE_LIBRARY,
                binary: [LIBRARY, &compiled.code].concat().into(),
                module: None,
            };
            (build, Ok(()))
        }
        Ok(compiled) => executable(device, compiled, given, Status::LINK_PROGRAM_FAILURE),
        Err(error) => {
            let status = match status_of(&error) {
                Status::COMPILER_NOT_AVAILABLE => Status::LINKER_NOT_AVAILABLE,
                _ => Status::LINK_PROGRAM_FAILURE,
            };
            (Build::failed(given, log_of(error)), Err(status))
        }
    }
}

/// The build of a code object; `failure` is the error if it is not loaded.
fn executable(
    device: &Device,
    compiled: Compiled,
    given: &str,
    failure: Status,
) -> (Build, Outcome) {
    match load(device, &compiled.code) {
        Ok(module) => {
            let build = Build {
                status: CL_BUILD_SUCCESS,
                options: given.to_owned(),
                log: compiled.diagnostics,
                kind: CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
                binary: compiled.code.into(),
                module: Some(module),
            };
            (build, Ok(()))
        }
        Err(error) => {
            let log = format!("{}error: {error}\n", compiled.diagnostics);
            (Build::failed(given, log), Err(failure))
        }
    }
}

/// Builds a source; where there is a directory of what it includes, it is only compiled.
fn build_source(
    device: &Device,
    source: &str,
    given: &str,
    headers: Option<&Headers>,
) -> (Build, Outcome) {
    let mut options = match options::compiling(given, device) {
        Ok(options) => options,
        Err(word) => {
            let log = format!("error: `{word}` is no option of a build\n");
            return (
                Build::failed(given, log),
                Err(Status::INVALID_BUILD_OPTIONS),
            );
        }
    };
    if let Some(Headers(directory)) = headers {
        let mut option = OsString::from("-I");
        option.push(directory.path());
        options.insert(0, option);
    }
    let target = device.target();
    let request = Request {
        target: Some(&target),
        options: &options,
        product: headers.map_or(Product::Code, |_| Product::Bitcode),
        ..Request::new(CompilerInput::Text(source), Language::OpenClC)
    };
    let compiled = match compile(&request) {
        Ok(compiled) => compiled,
        Err(error) => {
            let status = status_of(&error);
            return (Build::failed(given, log_of(error)), Err(status));
        }
    };
    if headers.is_some() {
        let build = Build {
            status: CL_BUILD_SUCCESS,
            options: given.to_owned(),
            log: compiled.diagnostics,
            kind: CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT,
            binary: compiled.code.into(),
            module: None,
        };
        return (build, Ok(()));
    }
    executable(device, compiled, given, Status::BUILD_PROGRAM_FAILURE)
}

/// The status of a source that is not compiled.
fn status_of(error: &CompileError) -> Status {
    match error {
        CompileError::NoCompiler
        | CompileError::NoSuchCompiler { .. }
        | CompileError::NoLibraries
        | CompileError::NoLibraryForTarget { .. }
        | CompileError::NoLinker { .. }
        | CompileError::Start { .. } => Status::COMPILER_NOT_AVAILABLE,
        _ => Status::BUILD_PROGRAM_FAILURE,
    }
}

/// The log of a source that is not compiled.
fn log_of(error: CompileError) -> String {
    match error {
        CompileError::Failed { diagnostics, .. } => diagnostics,
        other => format!("error: {other}\n"),
    }
}

/// A binary of a program's that a device takes.
pub(crate) struct Binary {
    bytes: Arc<[u8]>,
    /// Nothing if it has to be linked.
    module: Option<Module>,
}

impl Binary {
    /// Loads a binary for a device.
    ///
    /// # Errors
    /// It is none for the device.
    pub(crate) fn new(device: &Device, bytes: &[u8]) -> Outcome<Binary> {
        let module = if kind_of(bytes) == CL_PROGRAM_BINARY_TYPE_EXECUTABLE {
            Some(load(device, bytes).map_err(|_| Status::INVALID_BINARY)?)
        } else {
            None
        };
        Ok(Binary {
            bytes: bytes.into(),
            module,
        })
    }
}
