//! Borrowed or shared file contents, which can be sliced without copying.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// Bytes that are borrowed, or shared with other values.
///
/// ```
/// use gcn_object::Bytes;
///
/// let borrowed = Bytes::from(&b"code object"[..]);
/// let shared = Bytes::shared(b"code object".to_vec());
/// assert_eq!(borrowed, shared);
/// assert_eq!(&*shared.slice(0..4).expect("four bytes exist"), b"code");
/// ```
#[derive(Clone)]
pub struct Bytes<'a>(Storage<'a>);

#[derive(Clone)]
enum Storage<'a> {
    Borrowed(&'a [u8]),
    Shared {
        owner: Arc<dyn AsRef<[u8]> + Send + Sync>,
        range: Range<usize>,
    },
}

impl Bytes<'static> {
    /// Creates shared bytes, which keep their owner (such as a vector or a mapped file) alive.
    ///
    /// # Examples
    /// ```
    /// use gcn_object::Bytes;
    /// let bytes = Bytes::shared(vec![1, 2, 3]);
    /// let part = bytes.slice(1..3).expect("the bytes exist");
    /// drop(bytes);
    /// assert_eq!(*part, [2, 3], "the part keeps the vector alive");
    /// ```
    pub fn shared(owner: impl AsRef<[u8]> + Send + Sync + 'static) -> Self {
        let range = 0..owner.as_ref().len();
        let owner = Arc::new(owner);
        Self(Storage::Shared { owner, range })
    }
}

impl<'a> Bytes<'a> {
    /// Returns a range of the bytes without copying them; `None` if the range is out of bounds.
    ///
    /// # Examples
    /// ```
    /// use gcn_object::Bytes;
    /// let bytes = Bytes::from(&[1, 2, 3][..]);
    /// assert_eq!(bytes.slice(1..2).as_deref(), Some(&[2][..]));
    /// assert_eq!(bytes.slice(1..4), None);
    /// ```
    pub fn slice(&self, range: Range<usize>) -> Option<Self> {
        self.get(range.clone())?;
        Some(Self(match &self.0 {
            Storage::Borrowed(bytes) => Storage::Borrowed(bytes.get(range)?),
            Storage::Shared {
                owner,
                range: outer,
            } => Storage::Shared {
                owner: owner.clone(),
                range: outer.start + range.start..outer.start + range.end,
            },
        }))
    }

    /// Converts to an owned value, copying borrowed bytes.
    ///
    /// # Examples
    /// ```
    /// use gcn_object::Bytes;
    /// let owned: Bytes<'static> = {
    ///     let local = vec![1, 2, 3];
    ///     Bytes::from(&local[..]).into_owned()
    /// };
    /// assert_eq!(*owned, [1, 2, 3]);
    /// ```
    pub fn into_owned(self) -> Bytes<'static> {
        match self.0 {
            Storage::Borrowed(bytes) => Bytes::shared(bytes.to_vec()),
            Storage::Shared { owner, range } => Bytes(Storage::Shared { owner, range }),
        }
    }
}

impl Deref for Bytes<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Storage::Borrowed(bytes) => bytes,
            Storage::Shared { owner, range } => {
                (**owner).as_ref().get(range.clone()).unwrap_or_default()
            }
        }
    }
}

impl<'a> From<&'a [u8]> for Bytes<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self(Storage::Borrowed(bytes))
    }
}

impl<'a> From<&'a Vec<u8>> for Bytes<'a> {
    fn from(bytes: &'a Vec<u8>) -> Self {
        Self(Storage::Borrowed(bytes))
    }
}

impl From<Vec<u8>> for Bytes<'static> {
    fn from(bytes: Vec<u8>) -> Self {
        Self::shared(bytes)
    }
}

impl fmt::Debug for Bytes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.len())
    }
}

impl PartialEq for Bytes<'_> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Bytes<'_> {}
