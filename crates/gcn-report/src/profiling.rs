//! Profiles of launches: observers, and counts per code object or for a whole program.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gcn_emu::observe::Observers;
use gcn_observe::profile::{Kernels, Profile};
use gcn_runtime::Kernel;
use gcn_runtime::{Module, WeakModule};

use crate::output::Output;
use crate::report::{CodeMap, ProfileReport};
use crate::settings::{ProfileFormat, ProfileSettings};

/// Profile of launches. All loads of a code object share their counts. A code object with launched kernels stays in
/// memory as long as the profile.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
/// # use example::add_one;
/// use gcn_runtime::observe::Observers;
/// use gcn_report::Profiling;
/// use gcn_runtime::{Device, Error};
/// let device = Device::new("gfx900")?;
/// let profiling = Profiling::default();
/// for _ in 0..2 {
///     let kernel = device.load(&add_one())?.kernel("add_one")?;
///     let numbers = device.buffer("numbers", &[0u32; 64])?;
///     let observers = profiling.watch(&kernel, Observers::none());
///     kernel.launch([64, 1, 1]).arg(&numbers).observers(&observers).run(&device.queue())?;
/// }
/// let report = profiling.report().to_string();
/// assert!(report.starts_with("kernel add_one: 2 dispatches, 2 workgroups, 2 waves, "), "{report}");
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Profiling {
    codes: Mutex<Vec<ProfiledCode>>,
}

/// Code object, with a profile for each load address.
#[derive(Debug)]
struct ProfiledCode {
    /// First module that was seen with this code.
    module: Module,
    loads: Vec<ProfiledLoad>,
}

#[derive(Debug)]
struct ProfiledLoad {
    /// Last module that was seen at this address.
    module: WeakModule,
    address: u64,
    profile: Arc<Profile>,
}

impl ProfiledCode {
    /// True if `module` has the same code and target.
    fn is_of(&self, module: &Module) -> bool {
        self.module.device().target() == module.device().target()
            && self.module.object().bytes() == module.object().bytes()
    }

    /// Returns the profile for the module's load address.
    fn load(&mut self, module: &Module) -> Arc<Profile> {
        let address = module.loaded().address;
        let index = self.loads.iter().position(|load| load.address == address);
        if let Some(index) = index {
            self.loads[index].module = module.downgrade();
            return self.loads[index].profile.clone();
        }
        let profile = Arc::<Profile>::default();
        self.loads.push(ProfiledLoad {
            module: module.downgrade(),
            address,
            profile: profile.clone(),
        });
        profile
    }

    /// Returns the counts summed over all loads of the code object, relocated to the addresses of the first load.
    fn kernels(&self) -> Kernels {
        let first = self.module.loaded().address;
        let mut sums = Kernels::new();
        for load in &self.loads {
            for (name, kernel) in load.profile.kernels() {
                let sum = sums.entry(name).or_default();
                sum.add(&kernel, first.wrapping_sub(load.address));
            }
        }
        sums
    }
}

impl Profiling {
    fn codes(&self) -> MutexGuard<'_, Vec<ProfiledCode>> {
        self.codes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the profile that counts the launches from a module.
    fn profile(&self, module: &Module) -> Arc<Profile> {
        let mut codes = self.codes();
        // Code is compared only at the first launch from a module.
        let mut loads = codes.iter().flat_map(|code| &code.loads);
        if let Some(known) = loads.find(|load| load.module.is(module)) {
            return known.profile.clone();
        }
        if let Some(code) = codes.iter_mut().find(|code| code.is_of(module)) {
            return code.load(module);
        }
        let mut code = ProfiledCode {
            module: module.clone(),
            loads: Vec::new(),
        };
        let profile = code.load(module);
        codes.push(code);
        profile
    }

    /// Adds the profile's observer for a launch of a kernel to `observers`.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// use gcn_report::Profiling;
    /// use gcn_runtime::observe::Observers;
    /// let profiling = Profiling::default();
    /// let observers = profiling.watch(&kernel, Observers::none());
    /// assert!(!observers.wants().is_empty());
    /// let xs = device.buffer("xs", &[1u32; 64])?;
    /// kernel.launch([64, 1, 1]).arg(&xs).observers(&observers).run(&device.queue())?;
    /// kernel.launch([64, 1, 1]).arg(&xs).run(&device.queue())?;
    /// let report = profiling.report().to_string();
    /// assert!(report.starts_with("kernel add_one: 1 dispatch,"), "one launch is not watched: {report}");
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn watch(&self, kernel: &Kernel, observers: Observers) -> Observers {
        observers.with(self.profile(kernel.module()))
    }

    /// Returns a report for the completed launches.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// use gcn_report::Profiling;
    /// use gcn_runtime::observe::Observers;
    /// let profiling = Profiling::default();
    /// let xs = device.buffer("xs", &[1u32; 64])?;
    /// for waves in 1..=3 {
    ///     let observers = profiling.watch(&kernel, Observers::none());
    ///     kernel.launch([64, 1, 1]).arg(&xs).observers(&observers).run(&device.queue())?;
    ///     let expected = format!("{waves} wave");
    ///     assert!(profiling.report().to_string().contains(&expected));
    /// }
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn report(&self) -> ProfileReport {
        let codes = self.codes();
        let counts = codes
            .iter()
            .map(|code| (CodeMap::new(&code.module), code.kernels()));
        ProfileReport::of_codes(counts)
    }
}

/// Profile of a program, written when the program ends.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
/// # let (device, kernel) = example::add_one_kernel();
/// use gcn_report::ProgramProfile;
/// use gcn_runtime::observe::Observers;
/// use gcn_report::settings::ProfileSettings;
/// let path = std::env::temp_dir().join(format!("gcn-profile-{}.json", std::process::id()));
/// let settings = ProfileSettings { file: path.clone(), format: None };
/// let profile = ProgramProfile::new(&settings, std::io::stderr())?;
/// let xs = device.buffer("xs", &[1u32; 64])?;
/// let observers = profile.watch(&kernel, Observers::none());
/// kernel.launch([64, 1, 1]).arg(&xs).observers(&observers).run(&device.queue())?;
/// profile.write()?;
/// assert!(std::fs::read_to_string(&path)?.contains("\"name\": \"add_one\""));
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ProgramProfile {
    profiling: Profiling,
    format: ProfileFormat,
    out: Mutex<Output>,
    /// True if a kernel has been launched since the profile was last written.
    is_changed: AtomicBool,
}

/// Error for a profile file that cannot be written.
///
/// # Examples
/// ```
/// use gcn_report::ProgramProfile;
/// use gcn_report::settings::ProfileSettings;
/// let settings = ProfileSettings { file: "/no/such/directory/profile".into(), format: None };
/// let error = ProgramProfile::new(&settings, std::io::sink()).unwrap_err();
/// assert!(error.to_string().starts_with("cannot write /no/such/directory/profile: "));
/// ```
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {error}", file.display())]
pub struct ProfileFileError {
    file: PathBuf,
    error: io::Error,
}

impl ProgramProfile {
    /// Creates the profile requested by the settings. The destination is `standard` if they name no file.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    ///
    /// # Examples
    /// ```
    /// use gcn_report::ProgramProfile;
    /// use gcn_report::settings::{ProfileSettings, STANDARD};
    /// let standard = ProfileSettings { file: STANDARD.into(), format: None };
    /// let profile = ProgramProfile::new(&standard, std::io::sink())?;
    /// profile.write().expect("no kernel was launched, so nothing is written");
    /// # Ok::<(), gcn_report::ProfileFileError>(())
    /// ```
    pub fn new(
        settings: &ProfileSettings,
        standard: impl io::Write + Send + 'static,
    ) -> Result<ProgramProfile, ProfileFileError> {
        let file = settings.file_of(std::process::id());
        let format = settings.form();
        let open = || {
            let is_appended = format == ProfileFormat::Text;
            let mut out = Output::open(file.as_deref(), standard, is_appended)?;
            if out.is_file() {
                // Write an empty profile now, in case the program launches no kernel.
                out.write(|out| Profiling::default().report().write(format, out))?;
            }
            Ok(out)
        };
        let out = open().map_err(|error| ProfileFileError {
            file: settings.file.clone(),
            error,
        })?;
        Ok(ProgramProfile {
            profiling: Profiling::default(),
            format,
            out: Mutex::new(out),
            is_changed: AtomicBool::new(false),
        })
    }

    /// Adds the profile's observer for a launch of a kernel to `observers`.
    pub fn watch(&self, kernel: &Kernel, observers: Observers) -> Observers {
        self.is_changed.store(true, Relaxed);
        self.profiling.watch(kernel, observers)
    }

    /// Writes the counts of completed launches, unless no kernel has been launched since the last write. Called at exit,
    /// and when a failure may end the program.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// use gcn_report::ProgramProfile;
    /// use gcn_runtime::observe::Observers;
    /// use gcn_report::settings::ProfileSettings;
    /// let path = std::env::temp_dir().join(format!("gcn-counts-{}", std::process::id()));
    /// let settings = ProfileSettings { file: path.clone(), format: None };
    /// let profile = ProgramProfile::new(&settings, std::io::sink())?;
    /// let xs = device.buffer("xs", &[1u32; 64])?;
    /// for expected in ["1 dispatch,", "2 dispatches,"] {
    ///     let observers = profile.watch(&kernel, Observers::none());
    ///     kernel.launch([64, 1, 1]).arg(&xs).observers(&observers).run(&device.queue())?;
    ///     profile.write()?;
    ///     assert!(std::fs::read_to_string(&path)?.contains(expected), "the counts are replaced");
    /// }
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn write(&self) -> io::Result<()> {
        if !self.is_changed.swap(false, Relaxed) {
            return Ok(());
        }
        let report = self.profiling.report();
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        out.write(|out| report.write(self.format, out))
    }
}
