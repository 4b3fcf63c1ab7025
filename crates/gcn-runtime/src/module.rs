//! Modules: code loaded into device memory.

use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Weak};

use gcn_emu::memory::Memory;
use gcn_isa::Target;
use gcn_object::{BundleEntry, Bytes, CodeObject, Externals, code_objects, is_container};

use crate::abi::hsa::{self, Loaded, LoadedSymbol};
use crate::compile::{self, CompileError, Compiled, Request, Toolchain};
use crate::device::chips::Chip;
use crate::device::{Device, turns_sramecc_off};
use crate::error::Error;

/// Handle to a code object in device memory; clones refer to the same code. The code is unloaded when the last handle
/// is dropped. Kernels and launches hold handles.
///
/// `Send` and `Sync`.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
/// # use example::add_one;
/// use gcn_runtime::{Device, Module};
/// let device = Device::new("gfx900")?;
/// let module = Module::load(&device, &add_one())?;
/// let kernel = module.kernel("add_one")?;
/// assert_eq!(kernel.name(), "add_one");
/// assert!(module.kernel("sub_one").is_err());
/// assert_eq!(module.object().processor(), Some(module.device().target().name));
/// # Ok::<(), gcn_runtime::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Module(Arc<ModuleInner>);

/// Weak handle to a module, created by [`Module::downgrade`].
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
/// let device = gcn_runtime::Device::new("gfx900")?;
/// let module = device.load(&example::add_one())?;
/// let weak = module.downgrade();
/// assert!(weak.is(&module) && weak.upgrade().is_some());
/// drop(module);
/// assert!(weak.upgrade().is_none(), "the module is unloaded");
/// # Ok::<(), gcn_runtime::Error>(())
/// ```
#[derive(Debug)]
pub struct WeakModule(Weak<ModuleInner>);

impl WeakModule {
    /// Returns the module, unless it has been unloaded.
    pub fn upgrade(&self) -> Option<Module> {
        self.0.upgrade().map(Module)
    }

    /// True if this handle refers to `module`.
    pub fn is(&self, module: &Module) -> bool {
        std::ptr::eq(self.0.as_ptr(), Arc::as_ptr(&module.0))
    }
}

#[derive(Debug)]
struct ModuleInner {
    device: Device,
    object: CodeObject<'static>,
    loaded: Loaded,
    memory: Memory,
}

impl Drop for ModuleInner {
    fn drop(&mut self) {
        let freed = self.memory.free(self.loaded.address);
        debug_assert!(freed.is_ok(), "it is freed here only");
    }
}

impl Device {
    /// Loads code: see [`Module::load`].
    ///
    /// # Errors
    /// Fails like [`Module::load`].
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # use example::add_one;
    /// let module = gcn_runtime::Device::new("gfx900")?.load(&add_one())?;
    /// assert_eq!(module.kernels().collect::<Vec<_>>(), ["add_one"]);
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn load<'a>(&self, bytes: impl Into<Bytes<'a>>) -> Result<Module, Error> {
        Module::load(self, bytes)
    }
}

impl Module {
    /// Loads a code object, or the one for the device from a bundle, a fat binary or an executable. If it contains
    /// several for the device, use [`Module::load_all`].
    ///
    /// The module owns the code object: it copies borrowed bytes, but not [shared](Bytes::shared) ones such as a mapped
    /// file.
    ///
    /// # Errors
    /// Fails if the bytes have none of these formats, if they contain no code object or several for the device, or if
    /// the code object cannot be loaded.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// use gcn_runtime::{Device, Error, Module};
    /// let code = example::add_one();
    /// let module = Module::load(&Device::new("gfx900")?, &code)?;
    /// assert!(module.kernels().eq(["add_one"]));
    /// assert!(matches!(Module::load(&Device::new("gfx803")?, &code), Err(Error::NoCode { .. })));
    /// assert!(matches!(Module::load(&Device::new("gfx900")?, &b"text"[..]), Err(Error::Read(_))));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn load<'a>(device: &Device, bytes: impl Into<Bytes<'a>>) -> Result<Module, Error> {
        let mut modules = Module::load_all(device, bytes)?;
        match (modules.len(), modules.pop()) {
            (1, Some(module)) => Ok(module),
            (count, _) => Err(Error::SeveralCodeObjects {
                target: device.code_target().name.to_owned(),
                count,
            }),
        }
    }

    /// Loads all code objects for the device. A program with several translation units has one for each.
    ///
    /// # Errors
    /// Fails like [`Module::load`], except that several code objects are allowed.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # use example::add_one;
    /// use gcn_runtime::{Device, Module};
    /// let modules = Module::load_all(&Device::new("gfx900")?, &add_one())?;
    /// assert_eq!(modules.len(), 1);
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn load_all<'a>(
        device: &Device,
        bytes: impl Into<Bytes<'a>>,
    ) -> Result<Vec<Module>, Error> {
        let bytes = bytes.into();
        let read = |error| Error::Read(Arc::new(error));
        if !is_container(&bytes) {
            let object = gcn_object::read(bytes.into_owned()).map_err(read)?;
            return Ok(vec![Module::of_object(device, object)?]);
        }
        let bundle = |error| Error::Bundle(Arc::new(error));
        let mut modules = Vec::new();
        let mut found = Vec::new();
        for entry in code_objects(bytes).map_err(bundle)? {
            let entry = entry.map_err(bundle)?;
            found.extend(entry.target().map(str::to_owned));
            if is_for(&entry, device) {
                let object = entry.into_owned().read().map_err(read)?;
                modules.push(Module::of_object(device, object)?);
            }
        }
        if modules.is_empty() {
            found.sort();
            found.dedup();
            if let Some(id) = found.iter().find(|id| is_without_sramecc(id, device)) {
                return Err(Error::SrameccOff(id.clone()));
            }
            return Err(Error::NoCode {
                target: device.code_target().name.to_owned(),
                found,
            });
        }
        Ok(modules)
    }

    /// Loads a parsed code object.
    ///
    /// # Errors
    /// Returns [`Error::NoCode`] for code of another instruction set, [`Error::SrameccOff`] for code that disables SRAM
    /// ECC, and [`Error::Load`] if the code cannot be laid out, allocated or relocated.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// use gcn_runtime::{Device, Module};
    /// let object = gcn_object::read(example::add_one())?;
    /// assert_eq!(object.processor(), Some("gfx900"));
    /// let module = Module::of_object(&Device::new("gfx900")?, object)?;
    /// assert_eq!(module.object().kernels[0].name, "add_one");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_object(device: &Device, object: CodeObject<'static>) -> Result<Module, Error> {
        Module::link(device, object, &|_| None)
    }

    /// Loads a parsed code object. `externals` resolves undefined symbols, such as variables of other modules, to
    /// addresses.
    ///
    /// # Errors
    /// Fails like [`Module::of_object`], or if `externals` does not resolve a symbol.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// use gcn_runtime::{Device, Module};
    /// # let object = example::with_external();
    /// // `object` has a pointer to a variable of another module.
    /// let device = Device::new("gfx900")?;
    /// let counter = device.buffer("counter", &[0u32])?;
    /// let externals = |name: &str| (name == "counter").then_some(counter.address());
    /// let module = Module::link(&device, object.clone(), &externals)?;
    /// let pointer = module.symbol("pointer").expect("the symbol exists");
    /// assert_eq!(device.memory().load_u64(pointer.address), Some(counter.address()));
    /// let error = Module::of_object(&device, object).unwrap_err();
    /// assert!(error.to_string().starts_with("undefined symbol counter"));
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn link(
        device: &Device,
        object: CodeObject<'static>,
        externals: Externals<'_>,
    ) -> Result<Module, Error> {
        if !runs_on(&object, device.code_target()) {
            let found = object.processor().unwrap_or("an unknown target");
            return Err(Error::NoCode {
                target: device.code_target().name.to_owned(),
                found: vec![found.to_owned()],
            });
        }
        let id = object.target_id();
        if turns_sramecc_off(&id, device.target()) {
            return Err(Error::SrameccOff(id));
        }
        let loaded = hsa::link(device.emulated(), &object, "the code object", externals)
            .map_err(|error| Error::Load(Arc::new(error)))?;
        Ok(Module(Arc::new(ModuleInner {
            memory: device.memory().clone(),
            device: device.clone(),
            object,
            loaded,
        })))
    }

    /// Compiles a source with [`compile::compile`], or uses the cached result, and loads it. Returns the module and the
    /// compilation result. The default target is that of the device's code.
    ///
    /// # Errors
    /// Returns [`Error::Compile`] with the compiler's diagnostics and commands, or fails like [`Module::load`].
    ///
    /// # Examples
    /// ```no_run
    /// // It needs a Clang and the device libraries.
    /// use gcn_runtime::compile::{CompilerInput, Language, Request};
    /// use gcn_runtime::{Device, Module};
    ///
    /// let device = Device::new("gfx906")?;
    /// let text = "kernel void twice(global int *xs) { xs[get_global_id(0)] *= 2; }";
    /// let options = ["-O3".into()];
    /// let request = Request { options: &options, ..Request::new(CompilerInput::Text(text), Language::OpenClC) };
    /// let (module, compiled) = Module::compile(&device, &request)?;
    /// assert!(compiled.diagnostics.is_empty());
    /// let xs = device.buffer("xs", &[1, 2, 3])?;
    /// module.kernel("twice")?.launch([3, 1, 1]).arg(&xs).submit(&device.queue())?.wait()?;
    /// assert_eq!(xs.read::<i32>()?, [2, 4, 6]);
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn compile(device: &Device, request: &Request<'_>) -> Result<(Module, Compiled), Error> {
        Module::compile_by(device, request, compile::compile)
    }

    /// Compiles a source with a given Clang and cache directory and loads it: see [`compile::compile_with`].
    ///
    /// # Errors
    /// Fails like [`Module::compile`].
    ///
    /// # Examples
    /// ```no_run
    /// // It needs a Clang and the device libraries.
    /// use gcn_runtime::compile::{CompilerInput, Language, Request, Toolchain};
    /// use gcn_runtime::{Device, Module};
    /// let device = Device::new("gfx906")?;
    /// let request = Request::new(CompilerInput::Text("kernel void nothing() {}"), Language::OpenClC);
    /// let (module, compiled) = Module::compile_with(&device, &Toolchain::find()?, None, &request)?;
    /// assert!(module.kernels().eq(["nothing"]));
    /// assert!(!compiled.cached, "there is no directory for results");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn compile_with(
        device: &Device,
        toolchain: &Toolchain,
        directory: Option<&Path>,
        request: &Request<'_>,
    ) -> Result<(Module, Compiled), Error> {
        let compile = |request: &Request<'_>| compile::compile_with(toolchain, directory, request);
        Module::compile_by(device, request, compile)
    }

    fn compile_by(
        device: &Device,
        request: &Request<'_>,
        compile: impl FnOnce(&Request<'_>) -> Result<Compiled, CompileError>,
    ) -> Result<(Module, Compiled), Error> {
        let code_target = device.code_target();
        // Clang rejects features that the chip lacks.
        let own = Chip::of(code_target).features;
        let is_own = |feature: &&String| {
            let mut names = own.iter().map(|own| feature_name(own));
            names.any(|name| name == feature_name(feature))
        };
        let mut target = code_target.name.to_owned();
        for feature in device.features().iter().filter(is_own) {
            target.push(':');
            target.push_str(feature);
        }
        let request = Request {
            target: request.target.or(Some(&target)),
            ..*request
        };
        let compiled = compile(&request).map_err(|error| Error::Compile(Arc::new(error)))?;
        let module = Module::load(device, &compiled.code)?;
        Ok((module, compiled))
    }

    /// Creates a weak handle.
    pub fn downgrade(&self) -> WeakModule {
        WeakModule(Arc::downgrade(&self.0))
    }

    /// Returns the device.
    pub fn device(&self) -> &Device {
        &self.0.device
    }

    /// Returns the parsed code object.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// let module = gcn_runtime::Device::new("gfx900")?.load(&example::scale())?;
    /// let metadata = module.object().metadata.as_ref().expect("the object has metadata");
    /// assert_eq!(metadata.kernels[0].kernarg_segment_size, 16);
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn object(&self) -> &CodeObject<'static> {
        &self.0.object
    }

    /// Returns the loaded code object.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// let module = gcn_runtime::Device::new("gfx900")?.load(&example::add_one())?;
    /// let loaded = module.loaded();
    /// let symbol = loaded.symbol("add_one").expect("the symbol exists");
    /// assert!((loaded.address..loaded.address + loaded.size).contains(&symbol.address));
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn loaded(&self) -> &Loaded {
        &self.0.loaded
    }

    /// Returns the address range of the loaded code object.
    pub fn addresses(&self) -> Range<u64> {
        let loaded = self.loaded();
        loaded.address..loaded.address + loaded.size
    }

    /// Returns the names of the kernels.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # use example::add_one;
    /// let module = gcn_runtime::Device::new("gfx900")?.load(&add_one())?;
    /// assert!(module.kernels().eq(["add_one"]));
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        self.0.object.kernels.iter().map(|kernel| &*kernel.name)
    }

    /// Looks up a symbol by name: see [`Loaded::symbol`].
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # use example::add_one;
    /// let module = gcn_runtime::Device::new("gfx900")?.load(&add_one())?;
    /// assert!(module.symbol("no_such_variable").is_none());
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn symbol(&self, name: &str) -> Option<&LoadedSymbol> {
        self.0.loaded.symbol(name)
    }
}

/// Returns the name of the feature in a setting such as `xnack-`.
fn feature_name(setting: &str) -> &str {
    setting.trim_end_matches(['+', '-'])
}

/// True if a bundle entry suits the device's code: its target matches, and no feature setting contradicts the device's.
fn is_for(entry: &BundleEntry<'_>, device: &Device) -> bool {
    let Some(target) = entry.target() else {
        return false;
    };
    let contradicts = |feature: &str| {
        let other = |known: &&String| feature_name(known) == feature_name(feature);
        device
            .features()
            .iter()
            .find(other)
            .is_some_and(|known| known != feature)
    };
    Target::named(target) == Some(device.code_target())
        && !target.split(':').skip(1).any(contradicts)
        && !is_without_sramecc(target, device)
}

/// True if a target ID matches the device's code but disables SRAM ECC, which is enabled on the device.
fn is_without_sramecc(id: &str, device: &Device) -> bool {
    Target::named(id) == Some(device.code_target()) && turns_sramecc_off(id, device.target())
}

/// True if the code has the instruction set of `target`, names no processor, or is for a generic target that covers `target`.
fn runs_on(object: &CodeObject, target: &'static Target) -> bool {
    match Target::from_elf_mach(object.flags.mach) {
        Some(own) => own.isa == target.isa,
        None => object.processor().is_none_or(|name| {
            // A generic target covers all processors of its major version.
            name.strip_prefix("gfx")
                .and_then(|name| name.strip_suffix("-generic"))
                .is_some_and(|major| major == target.version().0.to_string())
        }),
    }
}
