//! Kernels and their arguments.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use gcn_object::{Access, AddressSpace, ArgumentMetadata as Described, KernelMetadata, ValueKind};
use gcn_runtime::{Argument, Kernel as Code};

use crate::abi::*;
use crate::device::{Device, MAX_GROUP, WAVE};
use crate::handle::{self, Handle, Id, Object, object, references};
use crate::image::{type_name, type_names};
use crate::info::Info;
use crate::memory::Mem;
use crate::program::{KernelCodes, Program, ProgramReference};
use crate::sampler::Sampler;
use crate::status::{Outcome, Status};

/// Address size in bytes.
const ADDRESS: usize = size_of::<u64>();

/// Argument value set by the application.
#[derive(Clone, Debug)]
pub(crate) enum ArgumentValue {
    Bytes(Vec<u8>),
    /// Buffer. The kernel does not retain it.
    Memory(Weak<Mem>),
    /// Image. The kernel does not retain it.
    Image(Weak<Mem>),
    /// Sampler. The kernel does not retain it.
    Sampler(Weak<Sampler>),
    /// Address in shared virtual memory, or null.
    Address(u64),
    /// Size of the local memory that the pointer refers to, in bytes.
    Local(u32),
}

/// Argument values for a launch.
pub(crate) struct LaunchArguments {
    pub(crate) all: Vec<Argument>,
    /// Buffers and images passed as arguments.
    pub(crate) objects: Vec<Arc<Mem>>,
    pub(crate) samplers: Vec<Arc<Sampler>>,
}

pub(crate) struct Kernel {
    id: Id<Kernel>,
    program: ProgramReference,
    name: String,
    codes: KernelCodes,
    arguments: Mutex<Vec<Option<ArgumentValue>>>,
}

object!(Kernel, INVALID_KERNEL);

impl Kernel {
    /// Creates a kernel without argument values.
    pub(crate) fn new(
        id: Id<Kernel>,
        program: &Arc<Program>,
        name: &str,
        codes: KernelCodes,
    ) -> Kernel {
        let parameters = codes
            .first()
            .map_or(0, |(_, code)| code.arguments().count());
        Kernel {
            id,
            program: ProgramReference::new(program),
            name: name.to_owned(),
            codes,
            arguments: Mutex::new(vec![None; parameters]),
        }
    }

    /// Creates a kernel with the same code and argument values.
    pub(crate) fn duplicate(&self, id: Id<Kernel>) -> Kernel {
        Kernel {
            id,
            program: ProgramReference::new(self.program()),
            name: self.name.clone(),
            codes: self.codes.clone(),
            arguments: Mutex::new(self.arguments().clone()),
        }
    }

    pub(crate) fn program(&self) -> &Arc<Program> {
        self.program.program()
    }

    fn arguments(&self) -> MutexGuard<'_, Vec<Option<ArgumentValue>>> {
        self.arguments
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the code for a device.
    ///
    /// # Errors
    /// Fails if the program has not been built for the device.
    pub(crate) fn code(&self, device: &Arc<Device>) -> Outcome<&Code> {
        let mut codes = self.codes.iter();
        let code = codes.find(|(own, _)| Arc::ptr_eq(own, device));
        let (_, code) = code.ok_or(Status::INVALID_PROGRAM_EXECUTABLE)?;
        Ok(code)
    }

    fn first_code(&self) -> Outcome<&Code> {
        let (_, code) = self.codes.first().ok_or(Status::INVALID_KERNEL)?;
        Ok(code)
    }

    fn parameter(&self, index: u32) -> Outcome<&Described> {
        let parameter = self.first_code()?.arguments().nth(index as usize);
        parameter.ok_or(Status::INVALID_ARG_INDEX)
    }

    fn set(&self, index: u32, given: ArgumentValue) -> Outcome {
        let mut arguments = self.arguments();
        let place = arguments.get_mut(index as usize);
        *place.ok_or(Status::INVALID_ARG_INDEX)? = Some(given);
        Ok(())
    }

    /// Sets an argument. Without a `value`, sets a null pointer, or a local memory pointer to `size` bytes.
    ///
    /// # Errors
    /// The errors that the specification defines for index, size and value.
    pub(crate) fn set_argument(&self, index: u32, size: usize, value: Option<&[u8]>) -> Outcome {
        let parameter = self.parameter(index)?;
        let given = match parameter.value_kind {
            ValueKind::DynamicSharedPointer => {
                if value.is_some() {
                    return Err(Status::INVALID_ARG_VALUE);
                }
                let bytes = u32::try_from(size).ok().filter(|bytes| *bytes != 0);
                ArgumentValue::Local(bytes.ok_or(Status::INVALID_ARG_SIZE)?)
            }
            ValueKind::GlobalBuffer => {
                if size != ADDRESS {
                    return Err(Status::INVALID_ARG_SIZE);
                }
                let bytes = value.and_then(|bytes| bytes.try_into().ok());
                match bytes.map_or(0, Handle::from_ne_bytes) {
                    0 => ArgumentValue::Address(0),
                    memory => ArgumentValue::Memory(Arc::downgrade(&self.buffer(memory)?)),
                }
            }
            ValueKind::ByValue => {
                if size as u64 != parameter.size {
                    return Err(Status::INVALID_ARG_SIZE);
                }
                ArgumentValue::Bytes(value.ok_or(Status::INVALID_ARG_VALUE)?.to_vec())
            }
            ValueKind::Image => {
                if size != ADDRESS {
                    return Err(Status::INVALID_ARG_SIZE);
                }
                let bytes = value.and_then(|bytes| bytes.try_into().ok());
                let image = bytes.map(Handle::from_ne_bytes).filter(|image| *image != 0);
                let image = self.object(image.ok_or(Status::INVALID_ARG_VALUE)?)?;
                check_image(parameter, &image)?;
                ArgumentValue::Image(Arc::downgrade(&image))
            }
            ValueKind::Sampler => {
                if size != ADDRESS {
                    return Err(Status::INVALID_ARG_SIZE);
                }
                let bytes = value.and_then(|bytes| bytes.try_into().ok());
                let sampler: Arc<Sampler> = handle::get(bytes.map_or(0, Handle::from_ne_bytes))?;
                if !Arc::ptr_eq(sampler.context(), &self.program().context) {
                    return Err(Status::INVALID_SAMPLER);
                }
                ArgumentValue::Sampler(Arc::downgrade(&sampler))
            }
            // Pipes and device queues are not supported as arguments.
            _ => return Err(Status::INVALID_ARG_VALUE),
        };
        self.set(index, given)
    }

    /// Looks up a memory object, which must belong to the kernel's context.
    fn object(&self, memory: Handle) -> Outcome<Arc<Mem>> {
        let memory: Arc<Mem> = handle::get(memory)?;
        let is_own = Arc::ptr_eq(&memory.context, &self.program().context);
        is_own.then_some(memory).ok_or(Status::INVALID_MEM_OBJECT)
    }

    /// Looks up a buffer, which must belong to the kernel's context.
    fn buffer(&self, memory: Handle) -> Outcome<Arc<Mem>> {
        let memory = self.object(memory)?;
        match memory.image {
            None => Ok(memory),
            Some(_) => Err(Status::INVALID_MEM_OBJECT),
        }
    }

    /// Sets a pointer argument to an address in shared virtual memory.
    ///
    /// # Errors
    /// Fails if the parameter is not a pointer to global or constant memory.
    pub(crate) fn set_address(&self, index: u32, address: usize) -> Outcome {
        let is_pointer = self.parameter(index)?.value_kind == ValueKind::GlobalBuffer;
        if !is_pointer {
            return Err(Status::INVALID_ARG_VALUE);
        }
        self.set(index, ArgumentValue::Address(address as u64))
    }

    /// Collects the argument values for a launch on a device.
    ///
    /// # Errors
    /// Fails if an argument is not set, its object has been released, or the context of an image does not contain the
    /// device.
    pub(crate) fn launch_arguments(&self, device: &Arc<Device>) -> Outcome<LaunchArguments> {
        let gone = Status::INVALID_KERNEL_ARGS;
        let of_address = |address: u64| Argument::Bytes(address.to_le_bytes().to_vec());
        let mut found = LaunchArguments {
            all: Vec::new(),
            objects: Vec::new(),
            samplers: Vec::new(),
        };
        for given in self.arguments().iter() {
            found.all.push(match given.as_ref().ok_or(gone)? {
                ArgumentValue::Bytes(bytes) => Argument::Bytes(bytes.clone()),
                ArgumentValue::Address(address) => of_address(*address),
                ArgumentValue::Local(bytes) => Argument::Local(*bytes),
                ArgumentValue::Memory(memory) => {
                    let memory = memory.upgrade().ok_or(gone)?;
                    let address = memory.address;
                    found.objects.push(memory);
                    of_address(address)
                }
                ArgumentValue::Image(memory) => {
                    let memory = memory.upgrade().ok_or(gone)?;
                    let image = memory.image.as_ref().ok_or(gone)?;
                    let address = image.descriptor_for(&memory.context, device)?;
                    found.objects.push(memory);
                    of_address(address)
                }
                ArgumentValue::Sampler(sampler) => {
                    let sampler = sampler.upgrade().ok_or(gone)?;
                    let address = sampler.address();
                    found.samplers.push(sampler);
                    of_address(address)
                }
            });
        }
        Ok(found)
    }

    /// Returns the value of the attribute `name`.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`: the attribute is unknown.
    pub(crate) fn info(&self, name: u32) -> Outcome<Info> {
        Ok(match name {
            CL_KERNEL_FUNCTION_NAME => Info::text(&self.name),
            CL_KERNEL_NUM_ARGS => Info::from(self.arguments().len() as u32),
            CL_KERNEL_REFERENCE_COUNT => Info::from(references(self)),
            CL_KERNEL_CONTEXT => Info::from(self.program().context.handle()),
            CL_KERNEL_PROGRAM => Info::from(self.program().handle()),
            CL_KERNEL_ATTRIBUTES => {
                let metadata = self.first_code()?.description().metadata.as_ref();
                Info::text(&metadata.map_or_else(String::new, attributes))
            }
            _ => return Err(Status::INVALID_VALUE),
        })
    }

    /// Returns the value of the parameter attribute `name`.
    ///
    /// # Errors
    /// Fails if the parameter or the attribute is unknown, or the code contains no parameter information.
    pub(crate) fn argument_info(&self, index: u32, name: u32) -> Outcome<Info> {
        let parameter = self.parameter(index)?;
        let absent = Status::KERNEL_ARG_INFO_NOT_AVAILABLE;
        Ok(match name {
            CL_KERNEL_ARG_ADDRESS_QUALIFIER if parameter.value_kind == ValueKind::Image => {
                Info::from(CL_KERNEL_ARG_ADDRESS_GLOBAL)
            }
            CL_KERNEL_ARG_ADDRESS_QUALIFIER => Info::from(match parameter.address_space {
                Some(AddressSpace::Global | AddressSpace::Generic) => CL_KERNEL_ARG_ADDRESS_GLOBAL,
                Some(AddressSpace::Constant) => CL_KERNEL_ARG_ADDRESS_CONSTANT,
                Some(AddressSpace::Local) => CL_KERNEL_ARG_ADDRESS_LOCAL,
                _ => CL_KERNEL_ARG_ADDRESS_PRIVATE,
            }),
            CL_KERNEL_ARG_ACCESS_QUALIFIER => Info::from(match access(parameter) {
                Some(Access::ReadOnly) => CL_KERNEL_ARG_ACCESS_READ_ONLY,
                Some(Access::WriteOnly) => CL_KERNEL_ARG_ACCESS_WRITE_ONLY,
                Some(Access::ReadWrite) => CL_KERNEL_ARG_ACCESS_READ_WRITE,
                _ => CL_KERNEL_ARG_ACCESS_NONE,
            }),
            CL_KERNEL_ARG_TYPE_NAME => Info::text(parameter.type_name.as_deref().ok_or(absent)?),
            CL_KERNEL_ARG_TYPE_QUALIFIER => {
                let flag = |has: bool, flag: u64| if has { flag } else { 0 };
                Info::from(
                    flag(parameter.is_const, CL_KERNEL_ARG_TYPE_CONST)
                        | flag(parameter.is_restrict, CL_KERNEL_ARG_TYPE_RESTRICT)
                        | flag(parameter.is_volatile, CL_KERNEL_ARG_TYPE_VOLATILE),
                )
            }
            CL_KERNEL_ARG_NAME => Info::text(parameter.name.as_deref().ok_or(absent)?),
            _ => return Err(Status::INVALID_VALUE),
        })
    }

    /// Returns the queried device, which may be omitted if there is only one.
    fn device_of(&self, device: Option<Arc<Device>>) -> Outcome<Arc<Device>> {
        match (device, &self.codes[..]) {
            (Some(device), codes) => {
                let is_own = codes.iter().any(|(own, _)| Arc::ptr_eq(own, &device));
                is_own.then_some(device).ok_or(Status::INVALID_DEVICE)
            }
            (None, [(only, _)]) => Ok(only.clone()),
            (None, _) => Err(Status::INVALID_DEVICE),
        }
    }

    /// Returns the value of an attribute that depends on the device.
    ///
    /// # Errors
    /// Fails if the attribute is unknown, or the kernel has no code for the device.
    pub(crate) fn group_info(&self, device: Option<Arc<Device>>, name: u32) -> Outcome<Info> {
        let device = self.device_of(device)?;
        let code = self.code(&device)?;
        let described = code.description();
        Ok(match name {
            CL_KERNEL_WORK_GROUP_SIZE => Info::from(max_group(code)),
            CL_KERNEL_COMPILE_WORK_GROUP_SIZE => {
                Info::array(required_group(code).unwrap_or([0; 3]))
            }
            CL_KERNEL_LOCAL_MEM_SIZE => {
                let dynamic = self
                    .arguments()
                    .iter()
                    .fold(0, |sum: u64, given| match given {
                        Some(ArgumentValue::Local(bytes)) => sum + u64::from(*bytes),
                        _ => sum,
                    });
                Info::from(u64::from(described.descriptor.group_segment_fixed_size) + dynamic)
            }
            CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => Info::from(WAVE),
            CL_KERNEL_PRIVATE_MEM_SIZE => {
                Info::from(u64::from(described.descriptor.private_segment_fixed_size))
            }
            // `CL_KERNEL_GLOBAL_WORK_SIZE` applies only to built-in kernels.
            _ => return Err(Status::INVALID_VALUE),
        })
    }

    /// Returns the value of a sub-group attribute. `input` is a work-group size or a sub-group count; `results` is the
    /// size of the application's result in bytes.
    ///
    /// # Errors
    /// The errors of [`Kernel::group_info`], the device lacks sub-groups, or `input` has an invalid number of dimensions.
    pub(crate) fn sub_group_info(
        &self,
        device: Option<Arc<Device>>,
        name: u32,
        input: &[usize],
        results: usize,
    ) -> Outcome<Info> {
        let device = self.device_of(device)?;
        if !device.is_of_3_0() {
            return Err(Status::INVALID_OPERATION);
        }
        let most = max_group(self.code(&device)?);
        let items = || match input.len() {
            1..=3 => Ok(input.iter().fold(1usize, |all, n| all.saturating_mul(*n))),
            _ => Err(Status::INVALID_VALUE),
        };
        Ok(match name {
            CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE => Info::from(WAVE.min(items()?)),
            CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE => Info::from(items()?.div_ceil(WAVE)),
            CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT => {
                let count = *input.first().ok_or(Status::INVALID_VALUE)?;
                let dimensions = results / size_of::<usize>();
                if input.len() != 1 || !(1..=3).contains(&dimensions) {
                    return Err(Status::INVALID_VALUE);
                }
                let items = count.checked_mul(WAVE).filter(|items| *items <= most);
                let mut sizes = vec![usize::from(items.is_some()); dimensions];
                sizes[0] = items.unwrap_or(0);
                Info::array(sizes)
            }
            CL_KERNEL_MAX_NUM_SUB_GROUPS => Info::from(most.div_ceil(WAVE)),
            // OpenCL C cannot specify a required number of sub-groups.
            CL_KERNEL_COMPILE_NUM_SUB_GROUPS => Info::from(0usize),
            _ => return Err(Status::INVALID_VALUE),
        })
    }
}

/// Returns the access qualifier of an image parameter.
fn access(parameter: &Described) -> Option<&Access> {
    let is_image = parameter.value_kind == ValueKind::Image;
    parameter.access.as_ref().filter(|_| is_image)
}

/// Checks that an image can be passed to a parameter.
///
/// # Errors
/// Fails if the object is a buffer, the image has another type, or its flags or format do not allow the access.
fn check_image(parameter: &Described, memory: &Mem) -> Outcome {
    let image = memory.image()?;
    let is_refused = |flags: u64| memory.flags & flags != 0;
    let is_wrong = match access(parameter) {
        Some(Access::ReadOnly) => is_refused(CL_MEM_WRITE_ONLY),
        Some(Access::WriteOnly) => {
            is_refused(CL_MEM_READ_ONLY) || !image.texels.format.is_writable()
        }
        Some(Access::ReadWrite) => {
            is_refused(CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY) || !image.texels.format.is_writable()
        }
        _ => false,
    };
    // The name of a typedef does not reveal the image type.
    let named = parameter.type_name.as_deref().unwrap_or_default();
    let is_known = type_names().any(|name| name == named);
    let own = type_name(image.texels.geometry);
    if is_wrong || is_known && named != own {
        return Err(Status::INVALID_ARG_VALUE);
    }
    Ok(())
}

/// Returns the maximum work-group size.
pub(crate) fn max_group(code: &Code) -> usize {
    let metadata = code.description().metadata.as_ref();
    let most = metadata.and_then(|metadata| metadata.max_flat_workgroup_size);
    let most = most.filter(|most| *most != 0);
    most.map_or(MAX_GROUP, |most| usize::try_from(most).unwrap_or(MAX_GROUP))
}

/// Returns the work-group size that the source requires (`reqd_work_group_size`).
pub(crate) fn required_group(code: &Code) -> Option<[usize; 3]> {
    let metadata = code.description().metadata.as_ref()?;
    let required = metadata.reqd_workgroup_size?;
    Some(required.map(|n| n as usize))
}

/// Returns a kernel's attributes in source form, as far as the metadata contains them.
fn attributes(metadata: &KernelMetadata) -> String {
    let sizes = [
        ("reqd_work_group_size", metadata.reqd_workgroup_size),
        ("work_group_size_hint", metadata.workgroup_size_hint),
    ];
    let texts = sizes.into_iter().filter_map(|(name, sizes)| {
        let [x, y, z] = sizes?;
        Some(format!("{name}({x},{y},{z})"))
    });
    let vectors = metadata.vec_type_hint.iter();
    let vectors = vectors.map(|name| format!("vec_type_hint({name})"));
    texts.chain(vectors).collect::<Vec<_>>().join(" ")
}
