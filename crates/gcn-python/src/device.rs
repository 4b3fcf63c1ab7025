//! Emulated devices.

use gcn_runtime::{Device as Emulated, Variations};
use pyo3::prelude::*;

use crate::errors::exception;

/// Native part of `amdgcn.Device`.
#[pyclass(frozen, module = "amdgcn._amdgcn")]
pub(crate) struct Device {
    pub(crate) inner: Emulated,
}

#[pymethods]
impl Device {
    #[new]
    #[pyo3(signature = (target, memory = None, threads = None, limit = None, late = None, schedule = None))]
    fn new(
        py: Python<'_>,
        target: &str,
        memory: Option<u64>,
        threads: Option<usize>,
        limit: Option<u64>,
        late: Option<u64>,
        schedule: Option<u64>,
    ) -> PyResult<Device> {
        let mut options = Emulated::builder(target).map_err(|error| exception(&error))?;
        if let Some(memory) = memory {
            options = options.memory(memory);
        }
        if let Some(threads) = threads {
            options = options.threads(threads);
        }
        if let Some(limit) = limit {
            options = options.instruction_limit(limit);
        }
        let variations = Variations {
            late,
            schedule,
            ..Variations::default()
        };
        let inner = py.detach(|| options.vary(&variations).build());
        Ok(Device { inner })
    }

    #[getter]
    fn target(&self) -> &'static str {
        self.inner.target().name
    }

    #[getter]
    fn isa(&self) -> &'static str {
        self.inner.target().isa.version()
    }

    #[getter]
    fn threads(&self) -> usize {
        self.inner.threads()
    }

    /// Memory in use and memory limit, in bytes.
    #[getter]
    fn usage(&self) -> (u64, u64) {
        self.inner.usage()
    }
}
