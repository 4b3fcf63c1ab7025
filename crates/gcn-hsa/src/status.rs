//! Status codes of the HSA API.

/// `hsa_status_t`, the result of an HSA function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(transparent)]
pub struct Status(pub u32);

macro_rules! statuses {
    ($($name:ident = $code:literal, $c:literal, $text:literal;)*) => {
        impl Status {
            $(#[doc = $text] pub const $name: Status = Status($code);)*

            /// Returns the constant's name in the header and a description, in the format of `hsa_status_string`;
            /// `None` for an unknown code.
            pub fn text(self) -> Option<&'static std::ffi::CStr> {
                match self {
                    $(Status::$name => {
                        const TEXT: &str = concat!($c, ": ", $text, "\0");
                        std::ffi::CStr::from_bytes_with_nul(TEXT.as_bytes()).ok()
                    })*
                    _ => None,
                }
            }
        }
    };
}

statuses! {
    SUCCESS = 0x0, "HSA_STATUS_SUCCESS", "The function succeeded.";
    INFO_BREAK = 0x1, "HSA_STATUS_INFO_BREAK", "A callback has ended an iteration.";
    ERROR = 0x1000, "HSA_STATUS_ERROR", "The function failed.";
    INVALID_ARGUMENT = 0x1001, "HSA_STATUS_ERROR_INVALID_ARGUMENT", "An argument is not valid.";
    INVALID_QUEUE_CREATION = 0x1002, "HSA_STATUS_ERROR_INVALID_QUEUE_CREATION", "The agent cannot create this queue.";
    INVALID_ALLOCATION = 0x1003, "HSA_STATUS_ERROR_INVALID_ALLOCATION", "The allocation is not possible.";
    INVALID_AGENT = 0x1004, "HSA_STATUS_ERROR_INVALID_AGENT", "The agent is not valid.";
    INVALID_REGION = 0x1005, "HSA_STATUS_ERROR_INVALID_REGION", "The region is not valid.";
    INVALID_SIGNAL = 0x1006, "HSA_STATUS_ERROR_INVALID_SIGNAL", "The signal is not valid.";
    INVALID_QUEUE = 0x1007, "HSA_STATUS_ERROR_INVALID_QUEUE", "The queue is not valid.";
    OUT_OF_RESOURCES = 0x1008, "HSA_STATUS_ERROR_OUT_OF_RESOURCES", "Not enough resources are available.";
    INVALID_PACKET_FORMAT = 0x1009, "HSA_STATUS_ERROR_INVALID_PACKET_FORMAT", "The AQL packet is not valid.";
    RESOURCE_FREE = 0x100a, "HSA_STATUS_ERROR_RESOURCE_FREE", "The resource cannot be released.";
    NOT_INITIALIZED = 0x100b, "HSA_STATUS_ERROR_NOT_INITIALIZED", "The runtime is not initialized in this process.";
    REFCOUNT_OVERFLOW = 0x100c, "HSA_STATUS_ERROR_REFCOUNT_OVERFLOW", "The initialization count has reached its maximum.";
    INCOMPATIBLE_ARGUMENTS = 0x100d, "HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS", "The arguments are incompatible.";
    INVALID_INDEX = 0x100e, "HSA_STATUS_ERROR_INVALID_INDEX", "The index is not valid.";
    INVALID_ISA = 0x100f, "HSA_STATUS_ERROR_INVALID_ISA", "The instruction set is not valid.";
    INVALID_CODE_OBJECT = 0x1010, "HSA_STATUS_ERROR_INVALID_CODE_OBJECT", "The code object is not valid.";
    INVALID_EXECUTABLE = 0x1011, "HSA_STATUS_ERROR_INVALID_EXECUTABLE", "The executable is not valid.";
    FROZEN_EXECUTABLE = 0x1012, "HSA_STATUS_ERROR_FROZEN_EXECUTABLE", "The executable is frozen.";
    INVALID_SYMBOL_NAME = 0x1013, "HSA_STATUS_ERROR_INVALID_SYMBOL_NAME", "No symbol has this name.";
    VARIABLE_ALREADY_DEFINED = 0x1014, "HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED", "The variable is already defined.";
    VARIABLE_UNDEFINED = 0x1015, "HSA_STATUS_ERROR_VARIABLE_UNDEFINED", "A variable is undefined.";
    EXCEPTION = 0x1016, "HSA_STATUS_ERROR_EXCEPTION", "A kernel raised an exception.";
    INVALID_ISA_NAME = 0x1017, "HSA_STATUS_ERROR_INVALID_ISA_NAME", "No instruction set has this name.";
    INVALID_CODE_SYMBOL = 0x1018, "HSA_STATUS_ERROR_INVALID_CODE_SYMBOL", "The code object symbol is not valid.";
    INVALID_EXECUTABLE_SYMBOL = 0x1019, "HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL", "The executable symbol is not valid.";
    INVALID_FILE = 0x1020, "HSA_STATUS_ERROR_INVALID_FILE", "The file descriptor is not valid.";
    INVALID_CODE_OBJECT_READER = 0x1021, "HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER", "The code object reader is not valid.";
    INVALID_CACHE = 0x1022, "HSA_STATUS_ERROR_INVALID_CACHE", "The cache is not valid.";
    INVALID_WAVEFRONT = 0x1023, "HSA_STATUS_ERROR_INVALID_WAVEFRONT", "The wavefront is not valid.";
    INVALID_SIGNAL_GROUP = 0x1024, "HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP", "The signal group is not valid.";
    INVALID_RUNTIME_STATE = 0x1025, "HSA_STATUS_ERROR_INVALID_RUNTIME_STATE", "The runtime is not in the state that the \
        function requires.";
    FATAL = 0x1026, "HSA_STATUS_ERROR_FATAL", "The queue cannot continue.";
    IMAGE_FORMAT_UNSUPPORTED = 0x3000, "HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED", "The agent does not support images of \
        this format.";
    IMAGE_SIZE_UNSUPPORTED = 0x3001, "HSA_EXT_STATUS_ERROR_IMAGE_SIZE_UNSUPPORTED", "The agent does not support images of this \
        size.";
    IMAGE_PITCH_UNSUPPORTED = 0x3002, "HSA_EXT_STATUS_ERROR_IMAGE_PITCH_UNSUPPORTED", "The agent does not support images with \
        these pitches.";
    SAMPLER_DESCRIPTOR_UNSUPPORTED = 0x3003, "HSA_EXT_STATUS_ERROR_SAMPLER_DESCRIPTOR_UNSUPPORTED", "The agent does not \
        support this sampler.";
    INVALID_MEMORY_POOL = 40, "HSA_STATUS_ERROR_INVALID_MEMORY_POOL", "The memory pool is not valid.";
    MEMORY_APERTURE_VIOLATION = 41, "HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION", "An access is outside its aperture.";
    ILLEGAL_INSTRUCTION = 42, "HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION", "An instruction cannot be executed.";
    MEMORY_FAULT = 43, "HSA_STATUS_ERROR_MEMORY_FAULT", "A memory access failed.";
    OUT_OF_REGISTERS = 45, "HSA_STATUS_ERROR_OUT_OF_REGISTERS", "The kernel needs more registers than are available.";
    RESOURCE_BUSY = 46, "HSA_STATUS_ERROR_RESOURCE_BUSY", "The resource is in use.";
    NOT_SUPPORTED = 47, "HSA_STATUS_ERROR_NOT_SUPPORTED", "The system does not support this.";
    CU_MASK_REDUCED = 44, "HSA_STATUS_CU_MASK_REDUCED", "The mask names compute units that do not exist.";
}

/// Result with an HSA status as the error.
pub(crate) type HsaResult<T = ()> = Result<T, Status>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_begin_with_the_name_of_the_header() {
        let text = Status::MEMORY_FAULT
            .text()
            .and_then(|text| text.to_str().ok());
        assert_eq!(
            text,
            Some("HSA_STATUS_ERROR_MEMORY_FAULT: A memory access failed.")
        );
        assert_eq!(Status(0x7777).text(), None);
    }
}
