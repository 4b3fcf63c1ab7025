//! Keywords in metadata: argument kinds, address spaces and access qualifiers.

use serde::{Serialize, Serializer};

macro_rules! names {
    ($(#[$meta:meta])* $type:ident { $($variant:ident $name:literal $name_v2:literal $what:literal;)* }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub enum $type {
            $(#[doc = $what] $variant,)*
            /// An unknown name.
            Other(String),
        }

        impl $type {
            /// All known values.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Converts from the name used in version 2 or in later versions.
            pub fn from_name(name: &str) -> Self {
                match name {
                    $($name | $name_v2 => Self::$variant,)*
                    other => Self::Other(other.to_owned()),
                }
            }

            /// Returns the name used in version 3 and later.
            pub fn name(&self) -> &str {
                match self {
                    $(Self::$variant => $name,)*
                    Self::Other(name) => name,
                }
            }
        }

        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }
    };
}

names! {
    /// Kind of an argument.
    ///
    /// # Examples
    /// ```
    /// use gcn_object::ValueKind;
    /// let new = ValueKind::from_name("hidden_printf_buffer");
    /// assert_eq!(new, ValueKind::from_name("HiddenPrintfBuffer"), "the name in version 2");
    /// assert_eq!(ValueKind::from_name("hidden_future").name(), "hidden_future", "unknown names are kept");
    /// ```
    ValueKind {
        ByValue                "by_value"                  "ByValue"                "The bytes of the argument.";
        GlobalBuffer           "global_buffer"             "GlobalBuffer"           "The address of a buffer.";
        DynamicSharedPointer   "dynamic_shared_pointer"    "DynamicSharedPointer"   "The LDS offset of memory that the launch sizes.";
        Sampler                "sampler"                   "Sampler"                "The address of a sampler.";
        Image                  "image"                     "Image"                  "The address of an image descriptor.";
        Pipe                   "pipe"                      "Pipe"                   "The address of a pipe.";
        Queue                  "queue"                     "Queue"                  "The address of a device queue.";
        HiddenGlobalOffsetX    "hidden_global_offset_x"    "HiddenGlobalOffsetX"    "The grid's offset in x.";
        HiddenGlobalOffsetY    "hidden_global_offset_y"    "HiddenGlobalOffsetY"    "The grid's offset in y.";
        HiddenGlobalOffsetZ    "hidden_global_offset_z"    "HiddenGlobalOffsetZ"    "The grid's offset in z.";
        HiddenNone             "hidden_none"               "HiddenNone"             "Room that is not used.";
        HiddenPrintfBuffer     "hidden_printf_buffer"      "HiddenPrintfBuffer"     "The address of the printf buffer.";
        HiddenHostcallBuffer   "hidden_hostcall_buffer"    "HiddenHostcallBuffer"   "The address of the host call buffer.";
        HiddenDefaultQueue     "hidden_default_queue"      "HiddenDefaultQueue"     "The address of the default device queue.";
        HiddenCompletionAction "hidden_completion_action"  "HiddenCompletionAction" "The address of the completion action.";
        HiddenMultigridSyncArg "hidden_multigrid_sync_arg" "HiddenMultiGridSyncArg" "The address of the multi-grid barrier.";
        HiddenBlockCountX      "hidden_block_count_x"      "HiddenBlockCountX"      "Whole workgroups in x.";
        HiddenBlockCountY      "hidden_block_count_y"      "HiddenBlockCountY"      "Whole workgroups in y.";
        HiddenBlockCountZ      "hidden_block_count_z"      "HiddenBlockCountZ"      "Whole workgroups in z.";
        HiddenGroupSizeX       "hidden_group_size_x"       "HiddenGroupSizeX"       "Work-items of a workgroup in x.";
        HiddenGroupSizeY       "hidden_group_size_y"       "HiddenGroupSizeY"       "Work-items of a workgroup in y.";
        HiddenGroupSizeZ       "hidden_group_size_z"       "HiddenGroupSizeZ"       "Work-items of a workgroup in z.";
        HiddenRemainderX       "hidden_remainder_x"        "HiddenRemainderX"       "Work-items of the partial workgroup in x.";
        HiddenRemainderY       "hidden_remainder_y"        "HiddenRemainderY"       "Work-items of the partial workgroup in y.";
        HiddenRemainderZ       "hidden_remainder_z"        "HiddenRemainderZ"       "Work-items of the partial workgroup in z.";
        HiddenGridDims         "hidden_grid_dims"          "HiddenGridDims"         "Dimensions of the grid.";
        HiddenHeapV1           "hidden_heap_v1"            "HiddenHeapV1"           "The address of the device heap.";
        HiddenDynamicLdsSize   "hidden_dynamic_lds_size"   "HiddenDynamicLdsSize"   "Dynamic LDS, in bytes.";
        HiddenPrivateBase      "hidden_private_base"       "HiddenPrivateBase"      "The upper half of the private aperture's base.";
        HiddenSharedBase       "hidden_shared_base"        "HiddenSharedBase"       "The upper half of the LDS aperture's base.";
        HiddenQueuePtr         "hidden_queue_ptr"          "HiddenQueuePtr"         "The address of the queue.";
    }
}

names! {
    /// Address space of a pointer.
    ///
    /// # Examples
    /// ```
    /// use gcn_object::AddressSpace;
    /// let names: Vec<&str> = AddressSpace::ALL.iter().map(AddressSpace::name).collect();
    /// assert_eq!(names, ["private", "global", "constant", "local", "generic", "region"]);
    /// ```
    AddressSpace {
        Private  "private"  "Private"  "Scratch.";
        Global   "global"   "Global"   "Memory.";
        Constant "constant" "Constant" "Memory that is not written.";
        Local    "local"    "Local"    "LDS.";
        Generic  "generic"  "Generic"  "Any of them.";
        Region   "region"   "Region"   "GDS.";
    }
}

names! {
    /// Access qualifier of an argument.
    ///
    /// # Examples
    /// ```
    /// use gcn_object::Access;
    /// assert_eq!(Access::from_name("ReadOnly").name(), "read_only");
    /// ```
    Access {
        Default   "default"    "Default"   "Not stated.";
        ReadOnly  "read_only"  "ReadOnly"  "Read.";
        WriteOnly "write_only" "WriteOnly" "Written.";
        ReadWrite "read_write" "ReadWrite" "Both.";
    }
}

impl Default for ValueKind {
    /// Returns an unknown kind with an empty name, which stands for a missing key.
    fn default() -> Self {
        Self::Other(String::new())
    }
}

impl ValueKind {
    /// Returns true if the runtime supplies the argument without the caller's knowledge.
    ///
    /// # Examples
    /// ```
    /// use gcn_object::ValueKind;
    /// assert!(ValueKind::from_name("hidden_global_offset_x").is_hidden());
    /// assert!(!ValueKind::from_name("global_buffer").is_hidden());
    /// ```
    pub fn is_hidden(&self) -> bool {
        self.name().starts_with("hidden_")
    }
}
