//! Kernels of a module.

use std::sync::Arc;

use crate::error::Error;
use crate::module::Module;
use crate::parameters::{self, Parameter};
use crate::queue::Queue;

/// Handle to a kernel of a module.
///
/// `Send` and `Sync`.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
/// # use example::add_one;
/// let device = gcn_runtime::Device::new("gfx900")?;
/// let kernel = device.load(&add_one())?.kernel("add_one")?;
/// let xs = device.buffer("xs", &[1u32; 64])?;
/// let completion = kernel.launch([64, 1, 1]).arg(&xs).submit(&device.queue())?.wait()?;
/// assert_eq!(completion.stats.waves, 1);
/// assert_eq!(xs.read::<u32>()?, [2; 64]);
/// # Ok::<(), gcn_runtime::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Kernel {
    module: Module,
    index: usize,
}

impl Module {
    /// Looks up a kernel by symbol, or by any name that tools display for it ([`gcn_object::find_name`]).
    ///
    /// # Errors
    /// Returns [`Error::Name`] with similar names, or with the candidates if the name is ambiguous.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// use gcn_runtime::{Device, Error};
    /// let module = Device::new("gfx900")?.load(&example::add_one())?;
    /// assert_eq!(module.kernel("add_one")?.name(), "add_one");
    /// assert!(matches!(module.kernel("add_two"), Err(Error::Name(_))));
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn kernel(&self, name: &str) -> Result<Kernel, Error> {
        let object = self.object();
        let found = object
            .find_kernel(name)
            .map_err(|error| Error::Name(Arc::new(error)))?;
        let is_it = |kernel: &gcn_object::ObjectKernel| std::ptr::eq(kernel, found);
        let index = object.kernels.iter().position(is_it).unwrap_or_default();
        Ok(Kernel {
            module: self.clone(),
            index,
        })
    }
}

impl Kernel {
    /// Returns the code object's description of the kernel: descriptor, metadata, and addresses within the object.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # use example::add_one;
    /// let device = gcn_runtime::Device::new("gfx900")?;
    /// let kernel = device.load(&add_one())?.kernel("add_one")?;
    /// let described = kernel.description();
    /// // The kernel object in a dispatch packet.
    /// let handle = kernel.module().loaded().moved(described.descriptor_address);
    /// assert!(handle > 0 && described.descriptor.private_segment_fixed_size == 0);
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn description(&self) -> &gcn_object::ObjectKernel {
        &self.module.object().kernels[self.index]
    }

    /// Returns the symbol name.
    pub fn name(&self) -> &str {
        &self.description().name
    }

    /// Returns the module that contains the kernel.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// assert!(kernel.module().kernels().eq(["add_one"]));
    /// let again = kernel.module().kernel("add_one")?;
    /// assert_eq!(again.description().entry_address, kernel.description().entry_address);
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// Returns the explicit arguments in order; empty without metadata.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # use example::add_one;
    /// let device = gcn_runtime::Device::new("gfx900")?;
    /// let kernel = device.load(&add_one())?.kernel("add_one")?;
    /// assert_eq!(kernel.arguments().count(), 0, "assembled without metadata");
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn arguments(&self) -> impl Iterator<Item = &gcn_object::ArgumentMetadata> {
        let metadata = self.description().metadata.as_ref();
        let all = metadata.map_or(&[][..], |metadata| &metadata.args);
        all.iter()
            .filter(|argument| !argument.value_kind.is_hidden())
    }

    /// Returns the explicit parameters with types from metadata or symbol, or `None` if metadata does not describe them.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (device, kernel) = example::scale_kernel();
    /// let parameters = kernel.parameters().expect("the kernel has metadata");
    /// let [xs, factor] = &parameters[..] else { panic!("{parameters:?}") };
    /// assert_eq!((xs.name, xs.offset, xs.size), (Some("xs"), 0, 8));
    /// assert_eq!((factor.label(), factor.declared.as_deref()), ("factor".to_owned(), Some("uint")));
    /// ```
    pub fn parameters(&self) -> Option<Vec<Parameter<'_>>> {
        parameters::parameters(self.description())
    }

    /// Returns the size of static LDS in bytes. Dynamic LDS follows it.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// let more = ".amdhsa_group_segment_fixed_size 256\n.end_amdhsa_kernel";
    /// let text = example::ADD_ONE.replace(".end_amdhsa_kernel", more);
    /// let (_, kernel) = example::kernel(&text, "add_one");
    /// assert_eq!(kernel.fixed_lds(), 256);
    /// ```
    pub fn fixed_lds(&self) -> u32 {
        self.description().descriptor.group_segment_fixed_size
    }

    /// Checks that the queue belongs to the module's device.
    ///
    /// # Errors
    /// Returns [`Error::OtherDevice`] if it does not.
    pub(crate) fn check_queue(&self, queue: &Queue) -> Result<(), Error> {
        let is_own = queue.device().is(self.module.device());
        is_own.then_some(()).ok_or(Error::OtherDevice)
    }
}
