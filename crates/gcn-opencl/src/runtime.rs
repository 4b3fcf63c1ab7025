//! The platform: settings, devices and platform attributes.

use std::sync::{Arc, OnceLock};

use gcn_console::program::attached;
use gcn_report::program::say::say;
use gcn_report::program::{Watch, exit, forks};
use gcn_report::settings::Settings;
use gcn_runtime::{Chip, Device as Emulated};

use crate::abi::*;
use crate::device::{Device, Extension, NUMERIC_VERSION, VERSION};
use crate::handle::{Id, object, publish};
use crate::info::Info;
use crate::status::{Outcome, Status};

const NAME: &str = "gcn";
/// Suffix of the platform's extension functions (there are none).
const SUFFIX: &str = "GCN";
pub(crate) struct Runtime {
    id: Id<Runtime>,
    pub(crate) devices: Vec<Arc<Device>>,
    /// Checks, profiling and reports of kernel failures.
    pub(crate) watch: Watch,
    /// Build options appended to the application's options.
    pub(crate) build_options: Option<String>,
}

object!(Runtime, INVALID_PLATFORM);

static RUNTIME: OnceLock<Option<Arc<Runtime>>> = OnceLock::new();

gcn_report::end_watch_at_exit!(existing().map(|runtime| &runtime.watch));

/// Returns the platform if it already exists.
pub(crate) fn existing() -> Option<&'static Arc<Runtime>> {
    RUNTIME.get()?.as_ref()
}

/// Returns the platform, which the first call creates.
///
/// # Errors
/// Fails if the settings are invalid, which is reported on standard error. There is then no platform.
pub(crate) fn get() -> Outcome<&'static Arc<Runtime>> {
    let made = RUNTIME.get_or_init(|| {
        Runtime::new()
            .map_err(|problem| say(&format!("error: {problem}")))
            .ok()
    });
    made.as_ref().ok_or(Status::INVALID_PLATFORM)
}

impl Runtime {
    fn new() -> Result<Arc<Runtime>, String> {
        let text = |error: &dyn std::fmt::Display| error.to_string();
        let settings = Settings::from_env().map_err(|error| text(&error))?;
        let builders = settings.devices().map_err(|error| text(&error))?;
        let mut all: Vec<Emulated> = Vec::new();
        for builder in builders {
            // OpenCL C code makes no host calls, and launches are faster without memory reserved for them.
            let mut builder = builder.without_host_calls();
            // Checks track individual allocations and frees, so memory is reused only without checks.
            if settings.check.is_none() {
                builder = builder.keeping_launch_memory();
            }
            let builder = match all.first() {
                Some(first) => builder.memory_of(first),
                None => builder,
            };
            all.push(builder.build());
        }
        let first = all.first().ok_or("GCN_TARGET names no device")?;
        let watch = Watch::new(&settings, first)?.controlled_by(attached(&settings));
        exit::watch();
        forks::watch();
        let mut devices = Vec::new();
        for (number, emulated) in all.into_iter().enumerate() {
            let chip = Chip::of(emulated.target());
            let memory = settings.device_memory();
            devices.push(publish(|id| {
                Device::new(id, number, emulated, chip, memory)
            }));
        }
        Ok(publish(|id| Runtime {
            id,
            devices,
            watch,
            build_options: settings.build_options.clone(),
        }))
    }

    /// Returns the extensions that all devices support.
    fn extensions(&self) -> Vec<Extension> {
        let mut all = self
            .devices
            .first()
            .map_or_else(Vec::new, |it| it.extensions());
        for device in &self.devices {
            let own = device.extensions();
            all.retain(|extension| own.contains(extension));
        }
        all
    }

    /// Returns the value of the platform attribute `name`.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`: the attribute is unknown.
    pub(crate) fn info(&self, name: u32) -> Outcome<Info> {
        Ok(match name {
            CL_PLATFORM_PROFILE => Info::text("FULL_PROFILE"),
            CL_PLATFORM_VERSION => Info::text(VERSION),
            CL_PLATFORM_NUMERIC_VERSION => Info::from(NUMERIC_VERSION),
            CL_PLATFORM_NAME | CL_PLATFORM_VENDOR => Info::text(NAME),
            CL_PLATFORM_EXTENSIONS => {
                let names: Vec<_> = self.extensions().into_iter().map(|it| it.1).collect();
                Info::text(&names.join(" "))
            }
            CL_PLATFORM_EXTENSIONS_WITH_VERSION => Info::versions(self.extensions()),
            CL_PLATFORM_HOST_TIMER_RESOLUTION => Info::from(1u64),
            CL_PLATFORM_ICD_SUFFIX_KHR => Info::text(SUFFIX),
            _ => return Err(Status::INVALID_VALUE),
        })
    }
}
