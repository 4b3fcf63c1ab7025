//! Reads metadata from the notes of all versions, and writes those of version 3 and later.

use serde::Serialize;

use super::kinds::{Access, AddressSpace, ValueKind};
use super::types::{ArgumentMetadata, KernelMetadata, Metadata};
use crate::value::{DocumentValue, MetadataError};

impl Metadata {
    /// Reads the metadata note of version 3 and later.
    ///
    /// # Errors
    /// [`MetadataError`]: the bytes are not MessagePack, not a map, or too large.
    ///
    /// # Examples
    /// ```
    /// use gcn_object::{Metadata, metadata_from_yaml};
    /// let note = metadata_from_yaml("amdhsa.version: [1, 2]\namdhsa.kernels:\n  - .name: scale\n")?;
    /// let metadata = Metadata::from_msgpack(&note)?;
    /// assert_eq!((metadata.version, metadata.kernels[0].name.as_str()), (vec![1, 2], "scale"));
    /// # Ok::<(), gcn_object::MetadataError>(())
    /// ```
    pub fn from_msgpack(bytes: &[u8]) -> Result<Self, MetadataError> {
        Self::from_value(&DocumentValue::from_msgpack(bytes)?)
    }

    /// Reads metadata from a document tree in the format of version 3 and later.
    ///
    /// # Errors
    /// [`MetadataError::NotAMap`]: the document is not a map.
    ///
    /// # Examples
    /// ```
    /// use gcn_object::{DocumentValue, Metadata, MetadataError};
    /// let metadata = Metadata::from_value(&DocumentValue::from_yaml("amdhsa.target: amdgcn-amd-amdhsa--gfx906")?)?;
    /// assert_eq!(metadata.target.as_deref(), Some("amdgcn-amd-amdhsa--gfx906"));
    /// assert_eq!(Metadata::from_value(&DocumentValue::Nil), Err(MetadataError::NotAMap));
    /// # Ok::<(), MetadataError>(())
    /// ```
    pub fn from_value(value: &DocumentValue) -> Result<Self, MetadataError> {
        if !matches!(value, DocumentValue::Map(_)) {
            return Err(MetadataError::NotAMap);
        }
        Ok(Self {
            kernels: list(value, "amdhsa.kernels", KernelMetadata::from_value),
            printf: list(value, "amdhsa.printf", |format| {
                format.as_text().unwrap_or_default().to_owned()
            }),
            target: text(value, "amdhsa.target"),
            version: numbers(value, "amdhsa.version"),
        })
    }

    /// Reads the metadata note of version 2.
    ///
    /// # Errors
    /// [`MetadataError`]: the note is not text, not YAML, not a map, or too large.
    ///
    /// # Examples
    /// ```
    /// use gcn_object::Metadata;
    /// let metadata = Metadata::from_yaml_v2(b"Version: [1, 0]\nKernels:\n  - Name: scale\n    SymbolName: scale@kd\n")?;
    /// assert_eq!(metadata.kernels[0].symbol, "scale@kd");
    /// # Ok::<(), gcn_object::MetadataError>(())
    /// ```
    pub fn from_yaml_v2(note: &[u8]) -> Result<Self, MetadataError> {
        // Some producers count the terminating zero as part of the note.
        let note = note.split(|byte| *byte == 0).next().unwrap_or_default();
        let value = DocumentValue::from_yaml(
            std::str::from_utf8(note).map_err(|_| MetadataError::NotText)?,
        )?;
        if !matches!(value, DocumentValue::Map(_)) {
            return Err(MetadataError::NotAMap);
        }
        Ok(Self {
            kernels: list(&value, "Kernels", KernelMetadata::from_value_v2),
            printf: list(&value, "Printf", |format| {
                format.as_text().unwrap_or_default().to_owned()
            }),
            target: None,
            version: numbers(&value, "Version"),
        })
    }

    /// Writes the metadata note of version 3 and later.
    ///
    /// # Errors
    /// [`MetadataError::MessagePack`] if the writer fails.
    ///
    /// # Examples
    /// ```
    /// use gcn_object::Metadata;
    /// let object = gcn_object::read(std::fs::read("tests/fixtures/scale-gfx803-v3.co")?)?;
    /// let metadata = object.metadata.expect("compilers write metadata");
    /// assert_eq!(Metadata::from_msgpack(&metadata.to_msgpack()?)?, metadata);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_msgpack(&self) -> Result<Vec<u8>, MetadataError> {
        let mut bytes = Vec::new();
        self.serialize(&mut rmp_serde::Serializer::new(&mut bytes).with_struct_map())
            .map_err(|error| MetadataError::MessagePack(error.to_string()))?;
        Ok(bytes)
    }

    /// Returns the operand of `.amdgpu_metadata`, as written by [`DocumentValue::to_yaml`].
    ///
    /// # Errors
    /// The errors of [`Metadata::to_msgpack`] and [`DocumentValue::to_yaml`].
    ///
    /// # Examples
    /// ```
    /// let object = gcn_object::read(std::fs::read("tests/fixtures/scale-gfx803-v3.co")?)?;
    /// let yaml = object.metadata.expect("compilers write metadata").to_yaml()?;
    /// assert!(yaml.contains(".name: scale") || yaml.contains(".name: 'scale'"), "{yaml}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_yaml(&self) -> Result<String, MetadataError> {
        DocumentValue::from_msgpack(&self.to_msgpack()?)?.to_yaml()
    }
}

impl KernelMetadata {
    fn from_value(value: &DocumentValue) -> Self {
        Self {
            args: list(value, ".args", ArgumentMetadata::from_value),
            group_segment_fixed_size: number(value, ".group_segment_fixed_size").unwrap_or(0),
            kernarg_segment_align: number(value, ".kernarg_segment_align").unwrap_or(0),
            kernarg_segment_size: number(value, ".kernarg_segment_size").unwrap_or(0),
            language: text(value, ".language"),
            language_version: numbers(value, ".language_version"),
            max_flat_workgroup_size: number(value, ".max_flat_workgroup_size"),
            name: text(value, ".name").unwrap_or_default(),
            private_segment_fixed_size: number(value, ".private_segment_fixed_size").unwrap_or(0),
            reqd_workgroup_size: three(value, ".reqd_workgroup_size"),
            sgpr_count: number(value, ".sgpr_count"),
            sgpr_spill_count: number(value, ".sgpr_spill_count"),
            symbol: text(value, ".symbol").unwrap_or_default(),
            uniform_work_group_size: number(value, ".uniform_work_group_size"),
            uses_dynamic_stack: value
                .get(".uses_dynamic_stack")
                .and_then(DocumentValue::as_bool),
            vec_type_hint: text(value, ".vec_type_hint"),
            vgpr_count: number(value, ".vgpr_count"),
            vgpr_spill_count: number(value, ".vgpr_spill_count"),
            wavefront_size: number(value, ".wavefront_size").unwrap_or(0),
            workgroup_size_hint: three(value, ".workgroup_size_hint"),
        }
    }

    fn from_value_v2(value: &DocumentValue) -> Self {
        let nothing = DocumentValue::Nil;
        let attributes = value.get("Attrs").unwrap_or(&nothing);
        let code = value.get("CodeProps").unwrap_or(&nothing);
        let mut end = 0;
        Self {
            args: list(value, "Args", |argument| {
                let argument = ArgumentMetadata::from_value_v2(argument, end);
                end = argument.offset.saturating_add(argument.size);
                argument
            }),
            group_segment_fixed_size: number(code, "GroupSegmentFixedSize").unwrap_or(0),
            kernarg_segment_align: number(code, "KernargSegmentAlign").unwrap_or(0),
            kernarg_segment_size: number(code, "KernargSegmentSize").unwrap_or(0),
            language: text(value, "Language"),
            language_version: numbers(value, "LanguageVersion"),
            max_flat_workgroup_size: number(code, "MaxFlatWorkGroupSize"),
            name: text(value, "Name").unwrap_or_default(),
            private_segment_fixed_size: number(code, "PrivateSegmentFixedSize").unwrap_or(0),
            reqd_workgroup_size: three(attributes, "ReqdWorkGroupSize"),
            sgpr_count: number(code, "NumSGPRs"),
            sgpr_spill_count: number(code, "NumSpilledSGPRs"),
            symbol: text(value, "SymbolName").unwrap_or_default(),
            uniform_work_group_size: None,
            uses_dynamic_stack: code
                .get("IsDynamicCallStack")
                .and_then(DocumentValue::as_bool),
            vec_type_hint: text(attributes, "VecTypeHint"),
            vgpr_count: number(code, "NumVGPRs"),
            vgpr_spill_count: number(code, "NumSpilledVGPRs"),
            wavefront_size: number(code, "WavefrontSize").unwrap_or(0),
            workgroup_size_hint: three(attributes, "WorkGroupSizeHint"),
        }
    }
}

impl ArgumentMetadata {
    fn from_value(value: &DocumentValue) -> Self {
        Self {
            access: name(value, ".access").map(Access::from_name),
            actual_access: name(value, ".actual_access").map(Access::from_name),
            address_space: name(value, ".address_space").map(AddressSpace::from_name),
            is_const: truth(value, ".is_const"),
            is_pipe: truth(value, ".is_pipe"),
            is_restrict: truth(value, ".is_restrict"),
            is_volatile: truth(value, ".is_volatile"),
            name: text(value, ".name"),
            offset: number(value, ".offset").unwrap_or(0),
            pointee_align: number(value, ".pointee_align"),
            size: number(value, ".size").unwrap_or(0),
            type_name: text(value, ".type_name"),
            value_kind: ValueKind::from_name(name(value, ".value_kind").unwrap_or_default()),
        }
    }

    /// Reads a version 2 argument. `end` is the end offset of the previous argument.
    fn from_value_v2(value: &DocumentValue, end: u64) -> Self {
        let align = number(value, "Align").unwrap_or(1).max(1);
        Self {
            access: name(value, "AccQual").map(Access::from_name),
            actual_access: name(value, "ActualAccQual").map(Access::from_name),
            address_space: name(value, "AddrSpaceQual").map(AddressSpace::from_name),
            is_const: truth(value, "IsConst"),
            is_pipe: truth(value, "IsPipe"),
            is_restrict: truth(value, "IsRestrict"),
            is_volatile: truth(value, "IsVolatile"),
            name: text(value, "Name"),
            offset: end.checked_next_multiple_of(align).unwrap_or(u64::MAX),
            pointee_align: number(value, "PointeeAlign"),
            size: number(value, "Size").unwrap_or(0),
            type_name: text(value, "TypeName"),
            value_kind: ValueKind::from_name(name(value, "ValueKind").unwrap_or_default()),
        }
    }
}

fn list<T>(value: &DocumentValue, key: &str, read: impl FnMut(&DocumentValue) -> T) -> Vec<T> {
    value
        .get(key)
        .map(DocumentValue::elements)
        .unwrap_or_default()
        .iter()
        .map(read)
        .collect()
}

fn name<'a>(value: &'a DocumentValue, key: &str) -> Option<&'a str> {
    value.get(key).and_then(DocumentValue::as_text)
}

fn text(value: &DocumentValue, key: &str) -> Option<String> {
    name(value, key).map(str::to_owned)
}

fn number(value: &DocumentValue, key: &str) -> Option<u64> {
    value.get(key).and_then(DocumentValue::as_u64)
}

fn numbers(value: &DocumentValue, key: &str) -> Vec<u64> {
    value
        .get(key)
        .map(DocumentValue::elements)
        .unwrap_or_default()
        .iter()
        .filter_map(DocumentValue::as_u64)
        .collect()
}

fn three(value: &DocumentValue, key: &str) -> Option<[u64; 3]> {
    <[u64; 3]>::try_from(numbers(value, key)).ok()
}

fn truth(value: &DocumentValue, key: &str) -> bool {
    value
        .get(key)
        .and_then(DocumentValue::as_bool)
        .unwrap_or(false)
}
