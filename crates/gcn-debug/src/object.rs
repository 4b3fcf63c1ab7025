//! Source-level objects: variables, their fields and elements, and pointees.

mod storage;
mod text;

pub use text::folded;

use std::sync::Arc;

use gcn_object::{
    LocationError, PiecePlace, SourceField, SourceRegister, SourceSpace, SourceType,
    SourceTypeKind, SourceVariable, TypeRef, VariablePiece, VariableState,
};

use crate::error::EvalError;
use crate::expr::{ENTRY, Space};
use crate::program::KernelArgument;
use crate::scalar::{Scalar, ScalarType};
use crate::view::{NamedBuffer, Target, View};

/// Maximum nesting depth of structures and arrays.
const MAX_DEPTH: usize = 16;
/// Maximum number of fields of a structure, including those of its base classes.
const MAX_FIELDS: usize = 4096;

/// Source variable, or a field, element or pointee reached from a variable.
#[derive(Clone, PartialEq, Debug)]
pub struct SourceObject {
    ty: Arc<SourceType>,
    storage: Storage,
    /// Byte offset of the object in [`Storage::Pieces`].
    offset: u64,
    /// First bit and width of a bit field.
    bits: Option<(u64, u64)>,
}

/// Location of an object's value.
#[derive(Clone, PartialEq, Debug)]
enum Storage {
    /// Address of the object in memory.
    Memory(Space, u64),
    /// Pieces of the containing variable: registers, constants and memory.
    Pieces(Arc<[VariablePiece]>),
}

/// Field, element or pointee, with the text to append to an expression for the containing object, such as `.x` or
/// `[3]`.
pub type ObjectPart = (String, Result<SourceObject, EvalError>);

/// Local variable or parameter in scope.
#[derive(Clone, Debug)]
pub struct Local {
    /// Name, with the suffix `@entry` if `object` is the launch value of a kernel parameter that is not available here.
    pub name: String,
    /// True for a parameter.
    pub is_parameter: bool,
    /// Index of the function in [`Location::frames`](crate::Location::frames).
    pub frame: usize,
    /// True if a variable of an inner scope has the same name.
    pub is_hidden: bool,
    /// Variable, or the reason why it is not available.
    pub object: Result<SourceObject, EvalError>,
}

impl SourceObject {
    /// Finds a variable in scope at the focused wave's instruction. Returns `None` if the name is not a variable.
    ///
    /// # Errors
    /// Fails if the variable is not available.
    pub(crate) fn variable(view: &View<'_>, name: &str) -> Option<Result<SourceObject, EvalError>> {
        let (wave, _) = view.wave?;
        let variables = match view.program.variables(wave.pc) {
            Ok(variables) => variables,
            Err(error) => return Some(Err(EvalError::Type(error.to_string()))),
        };
        if let Some(name) = name.strip_suffix(ENTRY) {
            let arguments = kernel_arguments(view, &variables);
            let (parameter, argument) = arguments.iter().find(|(it, _)| it.name == name)?;
            return SourceObject::entry_value(view, parameter, *argument);
        }
        let found = variables.iter().find(|it| it.name == name)?;
        Some(SourceObject::new(view, found))
    }

    /// Returns a kernel parameter's value at launch, or `None` if it is unknown or the argument has another size.
    fn entry_value(
        view: &View<'_>,
        parameter: &SourceVariable,
        argument: KernelArgument,
    ) -> Option<Result<SourceObject, EvalError>> {
        let address = view.arguments?.checked_add(argument.offset)?;
        let object = match SourceObject::at(view, parameter.ty?, (Space::Global, address)) {
            Ok(object) => object,
            Err(error) => return Some(Err(error)),
        };
        let is_whole = object.ty.bytes == argument.bytes;
        is_whole.then(|| object.strip_reference(view))
    }

    /// Returns the ID of the variable in scope with this name, or with its first component, such as `p` in `p.x`.
    pub(crate) fn variable_id(view: &View<'_>, name: &str) -> Option<usize> {
        let (wave, _) = view.wave?;
        let variables = view.program.variables(wave.pc).ok()?;
        let base = name.split('.').next().unwrap_or_default();
        if let Some(base) = base.strip_suffix(ENTRY) {
            let arguments = kernel_arguments(view, &variables);
            let found = arguments.iter().find(|(it, _)| it.name == base);
            return found.map(|(it, _)| it.id);
        }
        let found = variables
            .iter()
            .find(|it| it.name == name || it.name == base);
        found.map(|it| it.id)
    }

    /// Returns the local variables and parameters in scope at the focused wave's instruction, innermost scope first.
    ///
    /// # Errors
    /// Fails if the debug information is invalid.
    pub(crate) fn locals(view: &View<'_>) -> Result<Vec<Local>, EvalError> {
        let Some((wave, _)) = view.wave else {
            return Ok(Vec::new());
        };
        let variables = view.program.variables(wave.pc);
        let variables = variables.map_err(|error| EvalError::Type(error.to_string()))?;
        let arguments = kernel_arguments(view, &variables);
        let mut locals: Vec<Local> = Vec::new();
        for it in variables.iter() {
            let Some(frame) = it.frame else {
                continue;
            };
            let is_hidden = locals.iter().any(|other| other.name == it.name);
            let (mut name, mut object) = (it.name.clone(), SourceObject::new(view, it));
            if object.is_err()
                && let Some((_, argument)) = arguments.iter().find(|(other, _)| other.id == it.id)
                && let Some(Ok(entry)) = SourceObject::entry_value(view, it, *argument)
            {
                name += ENTRY;
                object = Ok(entry);
            }
            locals.push(Local {
                name,
                is_parameter: it.is_parameter,
                frame,
                is_hidden,
                object,
            });
        }
        Ok(locals)
    }

    fn new(view: &View<'_>, variable: &SourceVariable) -> Result<SourceObject, EvalError> {
        let unavailable = |reason: LocationError| EvalError::Unavailable {
            name: variable.name.clone(),
            reason,
        };
        let pieces = variable.pieces(view).map_err(unavailable)?;
        let missing = |it: &VariablePiece| it.place == PiecePlace::Missing;
        if pieces.iter().all(missing) {
            return Err(unavailable(LocationError::OptimizedOut));
        }
        let ty = variable.ty.ok_or_else(|| EvalError::Untyped {
            name: variable.name.clone(),
        })?;
        let storage = match pieces.as_slice() {
            [
                VariablePiece {
                    place: PiecePlace::Memory(space, address),
                    bytes: None,
                },
            ] => view.memory_at(*space, *address),
            _ => {
                let object = SourceObject {
                    ty: source_type(view, ty)?,
                    storage: Storage::Pieces(pieces.into()),
                    offset: 0,
                    bits: None,
                };
                return object.strip_reference(view);
            }
        };
        SourceObject::at(view, ty, storage)?.strip_reference(view)
    }

    /// Creates an object of the given type at an address.
    fn at(
        view: &View<'_>,
        ty: TypeRef,
        (space, address): (Space, u64),
    ) -> Result<SourceObject, EvalError> {
        Ok(SourceObject {
            ty: source_type(view, ty)?,
            storage: Storage::Memory(space, address),
            offset: 0,
            bits: None,
        })
    }

    /// Replaces a C++ reference with the object that it refers to.
    fn strip_reference(self, view: &View<'_>) -> Result<SourceObject, EvalError> {
        match self.ty.kind {
            SourceTypeKind::Pointer {
                is_reference: true, ..
            } => self.pointed(view),
            _ => Ok(self),
        }
    }

    /// Returns the object's type.
    pub fn ty(&self) -> &SourceType {
        &self.ty
    }

    /// Creates the field or element at a byte offset. For a bit field, `bits` is its first bit and its width.
    fn part(
        &self,
        view: &View<'_>,
        ty: Arc<SourceType>,
        offset: u64,
        bits: Option<(u64, u64)>,
    ) -> Result<SourceObject, EvalError> {
        let (storage, offset) = match &self.storage {
            Storage::Memory(space, address) => {
                (Storage::Memory(*space, address.wrapping_add(offset)), 0)
            }
            pieces @ Storage::Pieces(_) => (pieces.clone(), self.offset.wrapping_add(offset)),
        };
        let part = SourceObject {
            ty,
            storage,
            offset,
            bits,
        };
        part.strip_reference(view)
    }

    /// Finds a field of a structure by name, also in base classes and unnamed members.
    ///
    /// # Errors
    /// Fails if the structure has no field of this name.
    pub fn field(&self, view: &View<'_>, name: &str) -> Result<SourceObject, EvalError> {
        let mut names = Vec::new();
        let found = self.find_field(view, name, &mut names, 0)?;
        found.ok_or_else(|| EvalError::NoField {
            ty: self.ty.name.clone(),
            name: name.to_owned(),
            names,
        })
    }

    fn find_field(
        &self,
        view: &View<'_>,
        name: &str,
        names: &mut Vec<String>,
        depth: usize,
    ) -> Result<Option<SourceObject>, EvalError> {
        let SourceTypeKind::Structure { fields } = &self.ty.kind else {
            return Ok(None);
        };
        // A field hides fields of the same name in base classes.
        names.extend(fields.iter().filter_map(|it| it.name.clone()));
        if let Some(field) = fields.iter().find(|it| it.name.as_deref() == Some(name)) {
            return self.field_object(view, field).map(Some);
        }
        if depth >= MAX_DEPTH || names.len() >= MAX_FIELDS {
            return Ok(None);
        }
        for field in fields.iter().filter(|it| it.name.is_none()) {
            let inner = self.field_object(view, field)?;
            if let Some(found) = inner.find_field(view, name, names, depth + 1)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn field_object(
        &self,
        view: &View<'_>,
        field: &SourceField,
    ) -> Result<SourceObject, EvalError> {
        let ty = source_type(view, field.ty)?;
        self.part(view, ty, field.offset, field.bits)
    }

    /// Indexes an array or a pointer, as in C.
    ///
    /// # Errors
    /// Fails if the object is neither, or if the index is out of bounds.
    pub fn element(&self, view: &View<'_>, index: i128) -> Result<SourceObject, EvalError> {
        if let SourceTypeKind::Array { lengths, .. } = &self.ty.kind {
            let count = lengths.first().copied().unwrap_or(0);
            let has_element = u64::try_from(index).is_ok_and(|it| it < count);
            // The length of a flexible array member is unknown.
            if count > 0 && !has_element {
                return Err(EvalError::NoArrayElement {
                    ty: self.ty.name.clone(),
                    index,
                    elements: count,
                });
            }
        }
        Ok(self.first(view)?.neighbour(index))
    }

    /// Returns the first element of an array, or the pointee of a pointer.
    ///
    /// # Errors
    /// Fails if the object is neither.
    pub(crate) fn first(&self, view: &View<'_>) -> Result<SourceObject, EvalError> {
        let SourceTypeKind::Array { element, lengths } = &self.ty.kind else {
            return self.pointed(view);
        };
        let of = source_type(view, *element)?;
        let ty = match lengths.get(1..) {
            None | Some([]) => of,
            Some(inner) => Arc::new(SourceType::array(&of, *element, inner.to_vec())),
        };
        self.part(view, ty, 0, None)
    }

    /// Returns the object `index` elements away, as if in an array.
    pub(crate) fn neighbour(&self, index: i128) -> SourceObject {
        let distance = index.wrapping_mul(i128::from(self.ty.bytes.max(1))) as u64;
        let mut found = self.clone();
        match &mut found.storage {
            Storage::Memory(_, address) => *address = address.wrapping_add(distance),
            Storage::Pieces(_) => found.offset = found.offset.wrapping_add(distance),
        }
        found
    }

    /// Dereferences a pointer.
    ///
    /// # Errors
    /// Fails if the object is not a pointer with a pointee type, or if its value is unknown.
    pub fn pointed(&self, view: &View<'_>) -> Result<SourceObject, EvalError> {
        let SourceTypeKind::Pointer {
            to: Some(to),
            space,
            ..
        } = self.ty.kind
        else {
            return Err(EvalError::NotPointer {
                ty: self.ty.name.clone(),
            });
        };
        let address = self.scalar(view)?.bits;
        SourceObject::at(view, to, view.memory_at(space, address))
    }

    /// Returns the address, if the object is in memory.
    pub fn address(&self) -> Option<(Space, u64)> {
        match self.storage {
            Storage::Memory(space, address) => Some((space, address)),
            Storage::Pieces(_) => None,
        }
    }

    /// Returns the type of the value if it is a number, an enumerator, a Boolean or an address.
    fn scalar_type(&self) -> Option<ScalarType> {
        let bytes = self.ty.bytes;
        match &self.ty.kind {
            SourceTypeKind::Integer { signed: true } => ScalarType::signed(bytes),
            SourceTypeKind::Enumeration { values } => {
                match values.iter().any(|(_, value)| *value < 0) {
                    true => ScalarType::signed(bytes),
                    false => ScalarType::unsigned(bytes),
                }
            }
            SourceTypeKind::Integer { signed: false }
            | SourceTypeKind::Bool
            | SourceTypeKind::Pointer { .. } => ScalarType::unsigned(bytes),
            SourceTypeKind::Float => ScalarType::float(bytes),
            _ => None,
        }
    }

    /// True for arrays, and for pointers with a pointee type.
    pub(crate) fn has_elements(&self) -> bool {
        matches!(
            self.ty.kind,
            SourceTypeKind::Pointer { to: Some(_), .. } | SourceTypeKind::Array { .. }
        )
    }

    /// True for a pointer to the start of a buffer whose elements match the pointee's size and class.
    pub(crate) fn points_to(&self, view: &View<'_>, buffer: &NamedBuffer) -> bool {
        let Ok(first) = self.pointed(view) else {
            return false;
        };
        let is_same = |ty: ScalarType| {
            (ty.bytes(), ty.is_float()) == (buffer.ty.bytes(), buffer.ty.is_float())
        };
        first.address() == Some((Space::Global, buffer.address))
            && first.is_number()
            && first.scalar_type().is_some_and(is_same)
    }

    /// True for integers and floating-point numbers.
    pub(crate) fn is_number(&self) -> bool {
        matches!(
            self.ty.kind,
            SourceTypeKind::Integer { .. } | SourceTypeKind::Float
        )
    }

    /// Reads the value if it is a number, an enumerator, a Boolean or an address.
    ///
    /// # Errors
    /// Fails for structures and arrays, and if some bytes of the value are unknown.
    pub fn scalar(&self, view: &View<'_>) -> Result<Scalar, EvalError> {
        let ty = self.scalar_type().ok_or_else(|| EvalError::Aggregate {
            ty: self.ty.name.clone(),
        })?;
        let mut bytes = [0; 16];
        let Some((first, bits)) = self.bits else {
            let used = &mut bytes[..ty.bytes() as usize];
            self.read(view, used)?;
            return Ok(Scalar::new(ty, u128::from_le_bytes(bytes) as u64));
        };
        let (first, bits) = (first.min(7), bits.clamp(1, 64));
        let used = (first + bits).div_ceil(8) as usize;
        self.read(view, &mut bytes[..used])?;
        let value = (u128::from_le_bytes(bytes) >> first) as u64;
        let unused = 64 - bits as u32;
        let value = match ty.is_signed() {
            true => ((value << unused).cast_signed() >> unused).cast_unsigned(),
            false => value << unused >> unused,
        };
        Ok(Scalar::new(ty, value))
    }

    /// Returns up to `most` parts, starting at index `first`: the fields of a structure, the elements of an array, or
    /// the pointee of a pointer.
    ///
    /// # Errors
    /// Fails if the debug information of the type is invalid.
    pub fn parts(
        &self,
        view: &View<'_>,
        first: usize,
        most: usize,
    ) -> Result<Vec<ObjectPart>, EvalError> {
        match &self.ty.kind {
            SourceTypeKind::Structure { .. } => {
                let mut fields = Vec::new();
                self.collect_fields(view, &mut fields, 0)?;
                let wanted = fields.into_iter().skip(first).take(most);
                Ok(wanted.map(|(name, it)| (format!(".{name}"), it)).collect())
            }
            SourceTypeKind::Array { lengths, .. } => {
                let count = usize::try_from(lengths.first().copied().unwrap_or(0));
                let count = count.unwrap_or(usize::MAX);
                let end = first.saturating_add(most).min(count);
                let element = |it| (format!("[{it}]"), self.element(view, it as i128));
                Ok((first..end).map(element).collect())
            }
            SourceTypeKind::Pointer { to: Some(_), .. } if first == 0 => {
                Ok(vec![("[0]".to_owned(), self.pointed(view))])
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Returns the number of parts that [`SourceObject::parts`] can return.
    pub fn part_count(&self, view: &View<'_>) -> u64 {
        match &self.ty.kind {
            SourceTypeKind::Structure { .. } => {
                let mut fields = Vec::new();
                let found = self.collect_fields(view, &mut fields, 0);
                found.map_or(0, |()| fields.len() as u64)
            }
            SourceTypeKind::Array { lengths, .. } => lengths.first().copied().unwrap_or(0),
            SourceTypeKind::Pointer { to: Some(_), .. } => 1,
            _ => 0,
        }
    }

    /// Collects the named fields, including those of base classes and unnamed members.
    fn collect_fields(
        &self,
        view: &View<'_>,
        found: &mut Vec<ObjectPart>,
        depth: usize,
    ) -> Result<(), EvalError> {
        let SourceTypeKind::Structure { fields } = &self.ty.kind else {
            return Ok(());
        };
        for field in fields {
            if found.len() >= MAX_FIELDS {
                break;
            }
            let object = self.field_object(view, field);
            match &field.name {
                Some(name) => found.push((name.clone(), object)),
                None if depth < MAX_DEPTH => object?.collect_fields(view, found, depth + 1)?,
                None => {}
            }
        }
        Ok(())
    }
}

/// Returns the parameters of the kernel that the focused wave executes, with their arguments. The list is empty in
/// other functions, and if the debug information and the metadata disagree on the number of parameters.
fn kernel_arguments<'a>(
    view: &View<'_>,
    variables: &'a [SourceVariable],
) -> Vec<(&'a SourceVariable, KernelArgument)> {
    let Some((wave, _)) = view.wave else {
        return Vec::new();
    };
    let arguments = view.program.arguments(wave.pc);
    let frames = view.program.location(wave.pc).frames.len();
    let outermost = frames.checked_sub(1);
    let is_own = |it: &&SourceVariable| it.is_parameter && it.frame == outermost;
    let parameters: Vec<_> = variables.iter().filter(is_own).collect();
    match parameters.len() == arguments.len() && outermost.is_some() {
        true => parameters
            .into_iter()
            .zip(arguments.iter().copied())
            .collect(),
        false => Vec::new(),
    }
}

fn source_type(view: &View<'_>, ty: TypeRef) -> Result<Arc<SourceType>, EvalError> {
    let found = view.program.source_type(ty);
    found.map_err(|error| EvalError::Type(error.to_string()))
}

impl VariableState for View<'_> {
    fn register(&self, register: SourceRegister) -> Option<u64> {
        let (wave, _) = self.wave?;
        let target = match register {
            SourceRegister::Vector(first) => Target::Vector {
                first,
                count: 1,
                lane: Some(self.lane),
            },
            SourceRegister::Scalar(first) => Target::Scalar { first, count: 1 },
            SourceRegister::Exec => return Some(wave.exec()),
            SourceRegister::Pc => Target::Pc,
            _ => return None,
        };
        self.read(target).ok().map(|value| value.bits)
    }

    fn loaded(&self, address: u64) -> u64 {
        self.program.loaded(address)
    }

    fn memory(&self, space: SourceSpace, address: u64) -> Option<u64> {
        let (space, address) = self.memory_at(space, address);
        let ty = ScalarType::U64;
        let value = self.read(Target::Memory { space, ty, address });
        value.ok().map(|value| value.bits)
    }
}

impl View<'_> {
    /// Resolves a source-level address to an address in a space. Generic addresses may refer to LDS or scratch.
    fn memory_at(&self, space: SourceSpace, address: u64) -> (Space, u64) {
        match space {
            SourceSpace::Local => (Space::Lds, address),
            SourceSpace::Private => (Space::Scratch, address),
            _ => {
                let apertures = self.wave.map(|(wave, _)| wave.apertures);
                let high = (address >> 32) as u32;
                let low = address & u64::from(u32::MAX);
                match apertures {
                    Some(it) if high == it.shared && high != 0 => (Space::Lds, low),
                    Some(it) if high == it.private && high != 0 => (Space::Scratch, low),
                    _ => (Space::Global, address),
                }
            }
        }
    }
}
