//! Programs, created from source or binaries, and their builds for devices.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gcn_object::ValueKind;
use gcn_runtime::{Kernel as Code, Module};

use crate::abi::*;
use crate::build::{
    Binary, Build, HeaderDirectory, build_source, global_variables, kind_of, link_parts,
};
use crate::context::Context;
use crate::device::Device;
use crate::handle::{self, Id, Object, object, references};
use crate::info::Info;
use crate::options::{self, Linking};
use crate::runtime;
use crate::status::{Outcome, Status};

/// Origin of a program.
#[derive(Clone, Debug)]
pub(crate) enum ProgramOrigin {
    Source(String),
    Binary,
    /// Linked from other programs.
    Linked,
}

pub(crate) struct Program {
    id: Id<Program>,
    pub(crate) context: Arc<Context>,
    /// Devices for which the program was created.
    pub(crate) devices: Vec<Arc<Device>>,
    origin: ProgramOrigin,
    /// Builds, in the same order as the devices.
    builds: Mutex<Vec<Build>>,
    /// Number of existing kernels created from the program.
    kernels: AtomicUsize,
}

object!(Program, INVALID_PROGRAM);

/// Code of a kernel for each device for which its program has been built.
pub(crate) type KernelCodes = Vec<(Arc<Device>, Code)>;

/// Returns true if two kernels have the same number of parameters, of the same types.
fn have_same_parameters(one: &Code, other: &Code) -> bool {
    fn types(code: &Code) -> impl Iterator<Item = (&ValueKind, u64, Option<&str>)> {
        let parameters = code.arguments();
        parameters.map(|it| (&it.value_kind, it.size, it.type_name.as_deref()))
    }
    types(one).eq(types(other))
}

/// Reference from a kernel to its program. While one exists, the program cannot be rebuilt.
pub(crate) struct ProgramReference(Arc<Program>);

impl ProgramReference {
    pub(crate) fn new(program: &Arc<Program>) -> ProgramReference {
        program.kernels.fetch_add(1, SeqCst);
        ProgramReference(program.clone())
    }

    pub(crate) fn program(&self) -> &Arc<Program> {
        &self.0
    }
}

impl Drop for ProgramReference {
    fn drop(&mut self) {
        self.0.kernels.fetch_sub(1, SeqCst);
    }
}

/// Notifies the checkers that the host reads device memory, and reports their findings.
pub(crate) fn host_reads(address: u64, bytes: u64) {
    let checks = runtime::existing().and_then(|runtime| runtime.watch.checks());
    if let Some(checks) = checks {
        checks.reads(all_modules, (address, bytes));
    }
}

/// Returns the modules of all programs.
fn all_modules() -> Vec<Module> {
    let programs = handle::all::<Program>().into_iter();
    let modules = programs.flat_map(|program| program.modules());
    modules.map(|(_, module)| module).collect()
}

impl Program {
    /// Creates a program from source.
    pub(crate) fn of_source(id: Id<Program>, context: Arc<Context>, source: String) -> Program {
        let builds = vec![Build::default(); context.devices.len()];
        Program {
            id,
            devices: context.devices.clone(),
            context,
            origin: ProgramOrigin::Source(source),
            builds: Mutex::new(builds),
            kernels: AtomicUsize::new(0),
        }
    }

    /// Creates a program from a binary for each device.
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
            origin: ProgramOrigin::Binary,
            builds: Mutex::new(builds.collect()),
            kernels: AtomicUsize::new(0),
        }
    }

    /// Links programs for devices. Returns a constructor for the new program, and the link status.
    ///
    /// # Errors
    /// Fails if an option is invalid, no program contains compiled code, or only some contain it for a device.
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
            origin: ProgramOrigin::Linked,
            builds: Mutex::new(builds),
            kernels: AtomicUsize::new(0),
        };
        Ok((make, result))
    }

    /// Returns the bitcode for a device, if any.
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

    /// Compiles the program for `devices`, or for all of its devices if the slice is empty. `headers` pairs each header's
    /// name with the program that contains its source.
    ///
    /// # Errors
    /// The errors of [`Program::build`], the program has no source, or a header cannot be written.
    pub(crate) fn compile(
        &self,
        devices: &[Arc<Device>],
        options: &str,
        headers: &[(String, Arc<Program>)],
    ) -> Outcome {
        self.check_detached()?;
        let ProgramOrigin::Source(source) = &self.origin else {
            return Err(Status::INVALID_OPERATION);
        };
        let texts = headers
            .iter()
            .map(|(name, header)| (&**name, header.source()));
        let directory = HeaderDirectory::new(&texts.collect::<Vec<_>>())?;
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
            ProgramOrigin::Source(source) => source,
            ProgramOrigin::Binary | ProgramOrigin::Linked => "",
        }
    }

    fn builds(&self) -> MutexGuard<'_, Vec<Build>> {
        self.builds.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the indices of `devices` in the program's list; all indices if `devices` is empty.
    ///
    /// # Errors
    /// Fails if a device does not belong to the program.
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

    /// Checks that the program has no kernels.
    ///
    /// # Errors
    /// `CL_INVALID_OPERATION`: the program has kernels.
    fn check_detached(&self) -> Outcome {
        let is_detached = self.kernels.load(SeqCst) == 0;
        is_detached.then_some(()).ok_or(Status::INVALID_OPERATION)
    }

    /// Builds the program for `devices`, or for all of its devices if the slice is empty.
    ///
    /// # Errors
    /// Fails if the program has kernels or was created by linking, a device or an option is invalid, there is no
    /// compiler, or a build fails. The build log contains the reason for a failed build.
    pub(crate) fn build(&self, devices: &[Arc<Device>], options: &str) -> Outcome {
        self.check_detached()?;
        let mut result = Ok(());
        for place in self.places(devices)? {
            let device = &self.devices[place];
            let (build, outcome) = match &self.origin {
                ProgramOrigin::Source(source) => build_source(device, source, options, None),
                ProgramOrigin::Binary => self.build_binary(place, options),
                ProgramOrigin::Linked => return Err(Status::INVALID_OPERATION),
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
                let device = &self.devices[place];
                let parts = std::slice::from_ref(&old.binary);
                let (build, outcome) = link_parts(device, parts, options, &Linking::default());
                let Err(error) = outcome else {
                    return (build, Ok(()));
                };
                // Keep the binary, so that the next build links it again.
                let build = Build {
                    kind: old.kind,
                    binary: old.binary,
                    ..build
                };
                let error = match error {
                    Status::LINK_PROGRAM_FAILURE => Status::BUILD_PROGRAM_FAILURE,
                    Status::LINKER_NOT_AVAILABLE => Status::COMPILER_NOT_AVAILABLE,
                    other => other,
                };
                (build, Err(error))
            }
        }
    }

    /// Returns the module for a device, if the program has been built for it.
    pub(crate) fn module(&self, device: &Arc<Device>) -> Option<Module> {
        let place = self
            .devices
            .iter()
            .position(|own| Arc::ptr_eq(own, device))?;
        let builds = self.builds();
        let build = builds.get(place)?;
        (build.status == CL_BUILD_SUCCESS).then(|| build.module.clone())?
    }

    /// Returns the modules for all devices for which the program has been built.
    pub(crate) fn modules(&self) -> Vec<(Arc<Device>, Module)> {
        let devices = self.devices.iter();
        devices
            .filter_map(|device| Some((device.clone(), self.module(device)?)))
            .collect()
    }

    /// Returns the code of the kernel `name` for each device for which the program has been built.
    ///
    /// # Errors
    /// Fails if the program has not been built, has no such kernel, or the kernel's parameters differ between devices.
    pub(crate) fn codes(&self, name: &str) -> Outcome<KernelCodes> {
        let modules = self.modules();
        if modules.is_empty() {
            return Err(Status::INVALID_PROGRAM_EXECUTABLE);
        }
        let mut codes = KernelCodes::new();
        for (device, module) in modules {
            if !module.kernels().any(|own| own == name) {
                continue;
            }
            let code = module
                .kernel(name)
                .map_err(|_| Status::INVALID_KERNEL_NAME)?;
            let mut others = codes.iter();
            if !others.all(|(_, other)| have_same_parameters(other, &code)) {
                return Err(Status::INVALID_KERNEL_DEFINITION);
            }
            codes.push((device, code));
        }
        if codes.is_empty() {
            return Err(Status::INVALID_KERNEL_NAME);
        }
        Ok(codes)
    }

    /// Returns the names and code of all kernels that the application can create.
    ///
    /// # Errors
    /// Fails if the program has not been built for any device.
    pub(crate) fn creatable_kernels(&self) -> Outcome<Vec<(String, KernelCodes)>> {
        let modules = self.modules();
        if modules.is_empty() {
            return Err(Status::INVALID_PROGRAM_EXECUTABLE);
        }
        let mut names: Vec<String> = Vec::new();
        for (_, module) in &modules {
            for name in module.kernels() {
                if !names.iter().any(|known| known == name) {
                    names.push(name.to_owned());
                }
            }
        }
        let kernels = names.into_iter().filter_map(|name| {
            let codes = self.codes(&name).ok()?;
            Some((name, codes))
        });
        Ok(kernels.collect())
    }

    /// Returns the binaries for all devices.
    pub(crate) fn binaries(&self) -> Vec<Arc<[u8]>> {
        self.builds()
            .iter()
            .map(|build| build.binary.clone())
            .collect()
    }

    /// Returns the value of the attribute `name`, except for `CL_PROGRAM_BINARIES`, which writes to addresses passed by
    /// the application.
    ///
    /// # Errors
    /// Fails if the attribute is unknown, or the program has not been built.
    pub(crate) fn info(&self, name: u32) -> Outcome<Info> {
        Ok(match name {
            CL_PROGRAM_REFERENCE_COUNT => Info::from(references(self)),
            CL_PROGRAM_CONTEXT => Info::from(self.context.handle()),
            CL_PROGRAM_NUM_DEVICES => Info::from(self.devices.len() as u32),
            CL_PROGRAM_DEVICES => Info::array(self.devices.iter().map(|device| device.handle())),
            CL_PROGRAM_SOURCE => Info::text(self.source()),
            CL_PROGRAM_IL => Info::nothing(),
            CL_PROGRAM_BINARY_SIZES => Info::array(self.binaries().iter().map(|it| it.len())),
            CL_PROGRAM_NUM_KERNELS => Info::from(self.creatable_kernels()?.len()),
            CL_PROGRAM_KERNEL_NAMES => {
                let kernels = self.creatable_kernels()?.into_iter();
                let names: Vec<String> = kernels.map(|(name, _)| name).collect();
                Info::text(&names.join(";"))
            }
            CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT | CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT => {
                Info::bool(false)
            }
            _ => return Err(Status::INVALID_VALUE),
        })
    }

    /// Returns the value of an attribute of the build for a device.
    ///
    /// # Errors
    /// Fails if the attribute is unknown, or the device does not belong to the program.
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
