//! Arrays in device memory or registered host memory, exposed through Python's buffer protocol.
//!
//! This module may use `unsafe`: device addresses are host addresses, so a view of an array refers directly to its
//! memory. Element accesses may race with running kernels, as between threads that share memory.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_int, c_void};

use gcn_runtime::{Argument, Buffer, HostMemory};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyBufferError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;

use crate::device::Device;
use crate::errors::exception;

/// Memory that holds an array's elements.
enum Storage {
    /// Device memory.
    Device(Buffer),
    /// Memory of a Python object. `memory` is dropped first, so the registration ends before the view is released.
    Host {
        memory: HostMemory,
        _view: PyBuffer<u8>,
    },
}

/// Native part of `amdgcn.Array`: contiguous elements in C order.
#[pyclass(subclass, frozen, module = "amdgcn._amdgcn")]
pub(crate) struct ArrayBase {
    storage: Storage,
    name: String,
    /// Element type, in the syntax of the `struct` module.
    format: CString,
    itemsize: isize,
    len: isize,
    shape: Box<[isize]>,
    /// Strides in bytes.
    strides: Box<[isize]>,
}

impl ArrayBase {
    /// Returns the array's address, valid for both kernels and the host.
    fn place(&self) -> u64 {
        match &self.storage {
            Storage::Device(buffer) => buffer.address(),
            Storage::Host { memory, .. } => memory.address(),
        }
    }

    /// Passes the array's address as a kernel argument. The launch keeps device memory alive; its event, or the launch
    /// itself if the event is dropped first, keeps the array alive.
    pub(crate) fn argument(&self) -> Argument {
        match &self.storage {
            Storage::Device(buffer) => Argument::from(buffer),
            Storage::Host { memory, .. } => Argument::from(memory.address()),
        }
    }
}

/// Returns the strides of a C-order array and its size in bytes, or `None` on overflow.
fn layout(shape: &[isize], itemsize: isize) -> Option<(Box<[isize]>, isize)> {
    let mut strides = vec![0; shape.len()];
    let mut bytes = itemsize;
    for (stride, &count) in strides.iter_mut().zip(shape).rev() {
        *stride = bytes;
        bytes = bytes.checked_mul(count.max(0))?;
    }
    Some((strides.into(), bytes))
}

#[pymethods]
impl ArrayBase {
    /// Creates a zeroed array in device memory, or an array that shares the memory of `host`, a writable byte buffer.
    #[new]
    #[pyo3(signature = (device, name, shape, format, itemsize, host = None))]
    fn new(
        device: &Device,
        name: String,
        shape: Vec<isize>,
        format: String,
        itemsize: isize,
        host: Option<PyBuffer<u8>>,
    ) -> PyResult<ArrayBase> {
        if itemsize < 1 || shape.iter().any(|&count| count < 0) {
            return Err(PyValueError::new_err("a size is negative"));
        }
        let too_large = || PyValueError::new_err("the array is larger than any memory");
        let (strides, len) = layout(&shape, itemsize).ok_or_else(too_large)?;
        let storage = match host {
            None => Storage::Device(
                device
                    .inner
                    .allocate(&name, len as u64)
                    .map_err(|error| exception(&error))?,
            ),
            Some(view) => {
                if view.readonly() || !view.is_c_contiguous() || view.len_bytes() as isize != len {
                    return Err(PyBufferError::new_err(
                        "only writable, contiguous memory is shared with a device",
                    ));
                }
                let start = view.buf_ptr().cast::<u8>();
                // SAFETY: `view` keeps the bytes in place, readable and writable, until it is dropped, and `memory`
                // precedes it in `Storage` and is therefore dropped first. Python code treats them as shared memory, as
                // the module documentation says.
                let memory =
                    unsafe { HostMemory::register_raw(&device.inner, &name, start, len as u64) };
                Storage::Host {
                    memory: memory.map_err(|error| exception(&error))?,
                    _view: view,
                }
            }
        };
        Ok(ArrayBase {
            storage,
            name,
            format: CString::new(format)?,
            itemsize,
            len,
            shape: shape.into(),
            strides,
        })
    }

    #[getter]
    fn address(&self) -> u64 {
        self.place()
    }

    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    #[getter]
    fn nbytes(&self) -> isize {
        self.len
    }

    #[getter]
    fn itemsize(&self) -> isize {
        self.itemsize
    }

    #[getter]
    fn shape(&self) -> Vec<isize> {
        self.shape.to_vec()
    }

    #[getter]
    fn format(&self) -> String {
        self.format.to_string_lossy().into_owned()
    }

    #[getter]
    fn is_host_memory(&self) -> bool {
        matches!(self.storage, Storage::Host { .. })
    }

    /// Fills in a view of the memory. The view keeps the array alive.
    ///
    /// # Safety
    /// `view` is null or points to a `Py_buffer`.
    unsafe fn __getbuffer__(
        slf: Bound<'_, ArrayBase>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        // SAFETY: the interpreter guarantees that `view` is null or valid.
        let Some(view) = (unsafe { view.as_mut() }) else {
            return Err(PyBufferError::new_err("there is no view"));
        };
        view.obj = std::ptr::null_mut();
        let this = slf.get();
        let wants = |flag| flags & flag == flag;
        let is_fortran = wants(ffi::PyBUF_F_CONTIGUOUS) && !wants(ffi::PyBUF_ANY_CONTIGUOUS);
        if is_fortran && this.shape.len() > 1 {
            return Err(PyBufferError::new_err("the array is in C order"));
        }
        let if_wanted = |flag, values: &[isize]| {
            // A zero-dimensional array has no shape or strides.
            if wants(flag) && !values.is_empty() {
                values.as_ptr().cast_mut()
            } else {
                std::ptr::null_mut()
            }
        };
        let format: &CStr = &this.format;
        view.buf = this.place() as *mut c_void;
        view.len = this.len;
        view.readonly = 0;
        view.itemsize = this.itemsize;
        view.format = if wants(ffi::PyBUF_FORMAT) {
            format.as_ptr().cast_mut()
        } else {
            std::ptr::null_mut()
        };
        view.ndim = this.shape.len() as c_int;
        view.shape = if_wanted(ffi::PyBUF_ND, &this.shape);
        view.strides = if_wanted(ffi::PyBUF_STRIDES, &this.strides);
        view.suboffsets = std::ptr::null_mut();
        view.internal = std::ptr::null_mut();
        // Set last: from here on, the view owns a reference to the array. Memory, format, shape and strides remain
        // unchanged until the view is released.
        view.obj = slf.into_any().into_ptr();
        Ok(())
    }
}
