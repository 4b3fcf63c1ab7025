//! Reads and writes documents as YAML. The event-based reader stops at the first unsupported event.

use std::borrow::Cow;

use saphyr::{Mapping, Scalar, ScanError, Tag, Yaml, YamlEmitter};
use saphyr_parser::{Event, Marker, Parser, ScalarStyle};

use super::{DocumentValue, MAX_DEPTH, MetadataError, check_size};

/// LLVM's tag for text that would otherwise be another kind of scalar, as in `.name: !str n`.
const TEXT_TAG: &str = "str";
/// Tags for other kinds of scalars, which are redundant.
const SCALAR_TAGS: [&str; 4] = ["nil", "bool", "int", "float"];

impl DocumentValue {
    /// Reads a YAML document. As in LLVM, aliases are rejected, because short text could expand to a large tree.
    ///
    /// # Errors
    /// [`MetadataError::Yaml`] with the location of the error; [`MetadataError::TooLarge`] for text of more than 64
    /// MiB.
    ///
    /// # Examples
    /// ```
    /// use gcn_object::DocumentValue;
    /// let document = DocumentValue::from_yaml("amdhsa.version: [1, 2]")?;
    /// let version = document.get("amdhsa.version").expect("the key exists").elements();
    /// assert_eq!(version[1].as_u64(), Some(2));
    /// # Ok::<(), gcn_object::MetadataError>(())
    /// ```
    pub fn from_yaml(text: &str) -> Result<Self, MetadataError> {
        check_size(text.len())?;
        let mut reader = TreeBuilder {
            open: Vec::new(),
            document: None,
        };
        for event in Parser::new_from_str(text) {
            let (event, span) = event.map_err(|error| scan_error(&error))?;
            reader
                .event(event)
                .map_err(|message| error_at(&span.start, message))?;
        }
        Ok(reader.document.unwrap_or(Self::Nil))
    }

    /// Writes the document as YAML that LLVM can read. LLVM ignores quotes, so text that looks like a number or boolean
    /// is tagged.
    ///
    /// # Errors
    /// [`MetadataError::Yaml`] for bytes, which are not supported, and for a map with duplicate keys.
    ///
    /// # Examples
    /// ```
    /// use gcn_object::DocumentValue;
    /// let document = DocumentValue::from_yaml("{b: 1, a: [x, y]}")?;
    /// assert_eq!(DocumentValue::from_yaml(&document.to_yaml()?)?, document);
    /// # Ok::<(), gcn_object::MetadataError>(())
    /// ```
    pub fn to_yaml(&self) -> Result<String, MetadataError> {
        let unwritable = |message: &str| MetadataError::Yaml {
            line: 1,
            column: 1,
            message: message.to_owned(),
        };
        let tree = tree(self).map_err(unwritable)?;
        let mut text = String::new();
        YamlEmitter::new(&mut text)
            .dump(&tree)
            .map_err(|_| unwritable("it cannot be written"))?;
        // The emitter begins each document with a marker and leaves the last line unterminated.
        let mut text = text.split_off(text.find('\n').map_or(0, |end| end + 1));
        text.push('\n');
        Ok(text)
    }
}

fn scan_error(error: &ScanError) -> MetadataError {
    error_at(error.marker(), error.info().to_owned())
}

/// Creates an error at a parser location, whose line counts from 1 and column from 0.
fn error_at(place: &Marker, message: String) -> MetadataError {
    MetadataError::Yaml {
        line: place.line(),
        column: place.col() + 1,
        message,
    }
}

/// Collection whose end has not been reached.
enum OpenCollection {
    Array(Vec<DocumentValue>),
    /// Entries, and the key whose value has not been reached.
    Map(Vec<(DocumentValue, DocumentValue)>, Option<DocumentValue>),
}

/// Builder for a document tree from parser events.
struct TreeBuilder {
    /// Open collections, outermost first.
    open: Vec<OpenCollection>,
    /// Finished document.
    document: Option<DocumentValue>,
}

impl TreeBuilder {
    fn event(&mut self, event: Event<'_>) -> Result<(), String> {
        match event {
            Event::Scalar(text, style, _, tag) => {
                let value = scalar(text, style, tag.as_deref())?;
                self.add(value)
            }
            Event::SequenceStart(_, tag) => {
                self.begin(OpenCollection::Array(Vec::new()), tag.as_deref())
            }
            Event::MappingStart(_, tag) => {
                self.begin(OpenCollection::Map(Vec::new(), None), tag.as_deref())
            }
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(OpenCollection::Array(elements)) => self.add(DocumentValue::Array(elements)),
                Some(OpenCollection::Map(entries, _)) => self.add(DocumentValue::Map(entries)),
                None => Ok(()),
            },
            Event::Alias(_) => Err("metadata has no aliases".to_owned()),
            Event::DocumentStart(_) if self.document.is_some() => {
                Err("there is more than one document".to_owned())
            }
            Event::DocumentStart(_)
            | Event::DocumentEnd
            | Event::StreamStart
            | Event::StreamEnd
            | Event::Nothing => Ok(()),
        }
    }

    fn begin(&mut self, collection: OpenCollection, tag: Option<&Tag>) -> Result<(), String> {
        if let Some(tag) = tag.filter(|tag| !tag.is_yaml_core_schema()) {
            return Err(no_tag(tag));
        }
        if self.open.len() == MAX_DEPTH {
            return Err(format!("it nests deeper than {MAX_DEPTH}"));
        }
        self.open.push(collection);
        Ok(())
    }

    /// Adds a finished node to the innermost open collection.
    fn add(&mut self, value: DocumentValue) -> Result<(), String> {
        match self.open.last_mut() {
            None => self.document = Some(value),
            Some(OpenCollection::Array(elements)) => elements.push(value),
            Some(OpenCollection::Map(entries, key)) => match key.take() {
                Some(key) => entries.push((key, value)),
                None => *key = Some(value),
            },
        }
        Ok(())
    }
}

fn no_tag(tag: &Tag) -> String {
    format!("unknown tag `{tag}`")
}

/// Converts a scalar to a node. Quoted text is text; other text follows YAML's core schema, with 64-bit integers.
fn scalar(
    text: Cow<'_, str>,
    style: ScalarStyle,
    tag: Option<&Tag>,
) -> Result<DocumentValue, String> {
    let core = match tag {
        Some(tag) if tag.is_yaml_core_schema() => Some(Cow::Borrowed(tag)),
        Some(tag) if tag.handle == "!" && tag.suffix == TEXT_TAG => {
            return Ok(DocumentValue::Text(text.into_owned()));
        }
        Some(tag) if tag.handle == "!" && SCALAR_TAGS.contains(&tag.suffix.as_str()) => None,
        Some(tag) => return Err(no_tag(tag)),
        None => None,
    };
    if core.is_none() && style == ScalarStyle::Plain {
        if text.is_empty() {
            return Ok(DocumentValue::Nil);
        }
        if let Some(number) = whole_number(&text) {
            return Ok(DocumentValue::Uint(number));
        }
        if ["0x", "0o", "++", "+-"]
            .iter()
            .any(|start| text.starts_with(start))
        {
            // This is not a number, although the parser accepts a sign after the prefix or a second sign.
            return Ok(DocumentValue::Text(text.into_owned()));
        }
    }
    let scalar = Scalar::parse_from_cow_and_metadata(text, style, core.as_ref())
        .ok_or("the scalar is not of its tag's type")?;
    Ok(match scalar {
        Scalar::Null => DocumentValue::Nil,
        Scalar::Boolean(truth) => DocumentValue::Bool(truth),
        Scalar::Integer(number) => {
            u64::try_from(number).map_or(DocumentValue::Int(number), DocumentValue::Uint)
        }
        Scalar::FloatingPoint(number) => DocumentValue::Float(number.0),
        Scalar::String(text) => DocumentValue::Text(text.into_owned()),
    })
}

/// Parses a nonnegative integer in decimal, or with the prefix `0x` or `0o`.
fn whole_number(text: &str) -> Option<u64> {
    // `from_str_radix` accepts a sign, so check for digits first.
    let digits = |digits: &str, radix| {
        (digits.starts_with(|first: char| first.is_digit(radix)))
            .then(|| u64::from_str_radix(digits, radix).ok())
            .flatten()
    };
    if let Some(hexadecimal) = text.strip_prefix("0x") {
        digits(hexadecimal, 16)
    } else if let Some(octal) = text.strip_prefix("0o") {
        digits(octal, 8)
    } else {
        digits(text.strip_prefix('+').unwrap_or(text), 10)
    }
}

/// Converts a node to the emitter's tree, tagging text that LLVM would read as another kind of scalar.
fn tree(value: &DocumentValue) -> Result<Yaml<'_>, &'static str> {
    Ok(match value {
        DocumentValue::Nil => Yaml::Value(Scalar::Null),
        DocumentValue::Bool(truth) => Yaml::Value(Scalar::Boolean(*truth)),
        DocumentValue::Int(number) => Yaml::Value(Scalar::Integer(*number)),
        DocumentValue::Uint(number) => {
            Yaml::Representation(number.to_string().into(), ScalarStyle::Plain, None)
        }
        DocumentValue::Float(number) => Yaml::Value(Scalar::FloatingPoint((*number).into())),
        DocumentValue::Text(text) => {
            let scalar = Yaml::Value(Scalar::String(text.as_str().into()));
            if reads_as_another_scalar(text) {
                let tag = Tag {
                    handle: "!".to_owned(),
                    suffix: TEXT_TAG.to_owned(),
                };
                Yaml::Tagged(Cow::Owned(tag), Box::new(scalar))
            } else {
                scalar
            }
        }
        DocumentValue::Bytes(_) => return Err("there are bytes in it"),
        DocumentValue::Array(elements) => {
            Yaml::Sequence(elements.iter().map(tree).collect::<Result<_, _>>()?)
        }
        DocumentValue::Map(entries) => {
            let mut map = Mapping::new();
            for (key, value) in entries {
                if map.insert(key_tree(key)?, tree(value)?).is_some() {
                    return Err("a map has a key twice");
                }
            }
            Yaml::Mapping(map)
        }
    })
}

/// Converts a key to the emitter's tree. Metadata keys such as `.args` are not quoted.
fn key_tree(key: &DocumentValue) -> Result<Yaml<'_>, &'static str> {
    let DocumentValue::Text(text) = key else {
        return tree(key);
    };
    let name = text.strip_prefix('.').unwrap_or("");
    let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && Scalar::parse_from_cow(text.as_str().into()) == Scalar::String(text.as_str().into());
    Ok(if is_name {
        Yaml::Representation(text.as_str().into(), ScalarStyle::Plain, None)
    } else {
        Yaml::Value(Scalar::String(text.as_str().into()))
    })
}

/// Returns true if LLVM might read the text as a number (anything that `strtod` accepts), a boolean or null. A
/// redundant tag is harmless.
fn reads_as_another_scalar(text: &str) -> bool {
    const WORDS: [&str; 10] = [
        "y", "n", "yes", "no", "on", "off", "true", "false", "null", "~",
    ];
    const NUMBERS: [&str; 2] = ["inf", "nan"];
    let lower = text.to_ascii_lowercase();
    lower.is_empty()
        || WORDS.contains(&lower.as_str())
        || NUMBERS.iter().any(|number| lower.starts_with(number))
        || lower.starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_reads_as_another_scalar_is_tagged_as_llvm_does() {
        let source =
            "a: !str n\nb: !str 1\nc: !str inf\nd: !str ''\ne: float*\nf: !int 5\ng: [!str on]\n";
        let value = DocumentValue::from_yaml(source).expect("the tags are LLVM's");
        let text = |key| value.get(key).and_then(DocumentValue::as_text);
        assert_eq!(
            ["a", "b", "c", "d", "e"].map(text),
            ["n", "1", "inf", "", "float*"].map(Some)
        );
        assert_eq!(value.get("f").and_then(DocumentValue::as_u64), Some(5));

        let written = value.to_yaml().expect("there are no bytes in it");
        assert!(written.starts_with("a: !str n\n"), "{written}");
        assert!(written.contains("\ne: float*\nf: 5\n"), "{written}");
        assert_eq!(DocumentValue::from_yaml(&written), Ok(value));

        let error = DocumentValue::from_yaml("a: !foo 1\n").expect_err("no such tag");
        assert!(error.to_string().contains("!foo"), "{error}");
    }

    #[test]
    fn scalars_are_those_of_the_core_schema() {
        let text = "[0, -1, 18446744073709551615, 0xffffffffffffffff, 0o17, +7, 1e3, -.inf, \
                    true, ~, null, '1', \"a\\tb\", 0x, 0x+1, ++0, +-1, 1_0, !!str 5, !!int 5]";
        let Ok(DocumentValue::Array(values)) = DocumentValue::from_yaml(text) else {
            panic!("{:?}", DocumentValue::from_yaml(text));
        };
        let text = |text: &str| DocumentValue::Text(text.to_owned());
        assert_eq!(
            values,
            [
                DocumentValue::Uint(0),
                DocumentValue::Int(-1),
                DocumentValue::Uint(u64::MAX),
                DocumentValue::Uint(u64::MAX),
                DocumentValue::Uint(15),
                DocumentValue::Uint(7),
                DocumentValue::Float(1000.0),
                DocumentValue::Float(f64::NEG_INFINITY),
                DocumentValue::Bool(true),
                DocumentValue::Nil,
                DocumentValue::Nil,
                text("1"),
                text("a\tb"),
                text("0x"),
                text("0x+1"),
                text("++0"),
                text("+-1"),
                text("1_0"),
                text("5"),
                DocumentValue::Uint(5),
            ]
        );
    }

    #[test]
    fn every_tree_of_text_and_numbers_is_read_as_it_was_written() {
        arbtest::arbtest(|source| {
            let value = tree_of(source, 3)?;
            let written = value.to_yaml().expect("keys differ and there are no bytes");
            assert_eq!(DocumentValue::from_yaml(&written), Ok(value), "{written}");
            Ok(())
        });
    }

    #[test]
    fn texts_that_are_almost_numbers_stay_texts() {
        let mut texts = vec![String::new()];
        let mut shorter = 0..1;
        for _ in 0..4 {
            let longer = texts.len();
            for index in shorter {
                let start = texts[index].clone();
                texts.extend("+-.01xoe_ '~".chars().map(|next| format!("{start}{next}")));
            }
            shorter = longer..texts.len();
        }

        let text = |text: &String| DocumentValue::Text(text.clone());
        let entries = texts.iter().map(|key| (text(key), text(key)));
        let value = DocumentValue::Map(entries.collect());
        let written = value.to_yaml().expect("keys differ and there are no bytes");
        assert_eq!(DocumentValue::from_yaml(&written), Ok(value));
    }

    /// Creates a tree of at most `depth` levels, whose maps contain no duplicate keys.
    fn tree_of(
        source: &mut arbtest::arbitrary::Unstructured<'_>,
        depth: usize,
    ) -> arbtest::arbitrary::Result<DocumentValue> {
        let kinds = if depth == 0 { 5 } else { 7 };
        Ok(match source.int_in_range(0..=kinds - 1)? {
            0 => DocumentValue::Nil,
            1 => DocumentValue::Bool(source.arbitrary()?),
            2 => DocumentValue::Uint(source.arbitrary()?),
            3 => DocumentValue::Int(source.int_in_range(i64::MIN..=-1)?),
            4 => DocumentValue::Text(source.arbitrary()?),
            5 => {
                let length = source.int_in_range(0..=3)?;
                let elements = (0..length).map(|_| tree_of(source, depth - 1));
                DocumentValue::Array(elements.collect::<Result<_, _>>()?)
            }
            _ => {
                let length = source.int_in_range(0..=3)?;
                let entries = (0..length).map(|index| {
                    let key = format!("{}{index}", source.arbitrary::<&str>()?);
                    Ok((DocumentValue::Text(key), tree_of(source, depth - 1)?))
                });
                DocumentValue::Map(entries.collect::<Result<_, _>>()?)
            }
        })
    }

    #[test]
    fn aliases_that_multiply_are_refused() {
        let mut text = "a0: &a0 [x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..9 {
            let alias = format!("*a{}", level - 1);
            text += &format!("a{level}: &a{level} [{}]\n", [alias.as_str(); 8].join(", "));
        }
        let error = DocumentValue::from_yaml(&text).expect_err("nine levels of eight");
        assert!(matches!(error, MetadataError::Yaml { .. }), "{error}");
    }

    #[test]
    fn deep_nesting_is_refused_in_time_that_is_linear() {
        // Parsing these inputs once took quadratic time: 2 MB never finished.
        for opening in [
            "[", "{", "- ", "? ", "[a, ", "{a: ", "&a [", "!!seq [", "- - a: ",
        ] {
            let text = opening.repeat((2 << 20) / opening.len());
            let result = DocumentValue::from_yaml(&text);
            assert!(
                matches!(result, Err(MetadataError::Yaml { .. })),
                "{opening}"
            );
        }
    }
}
