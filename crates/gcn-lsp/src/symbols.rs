//! Document symbols: functions with their labels, macros, values and memory objects.

use lsp_types::{DocumentSymbol, SymbolKind};

use crate::document::Document;
use crate::outline::{Definition, DefinitionKind, Outline};
use crate::text::Encoding;

/// Returns the symbols in document order.
pub(crate) fn symbols(
    document: &Document,
    outline: &Outline,
    encoding: Encoding,
) -> Vec<DocumentSymbol> {
    let mut symbols: Vec<DocumentSymbol> = Vec::new();
    // A function contains all labels up to the next function.
    let mut function: Option<usize> = None;
    for definition in &outline.definitions {
        let is_function = definition.kind == DefinitionKind::Label
            && outline.functions.contains(&definition.name);
        let symbol = symbol(document, definition, is_function, encoding);
        match function.and_then(|index| symbols.get_mut(index)) {
            Some(function) if definition.kind == DefinitionKind::Label && !is_function => {
                function.range.end = function.range.end.max(symbol.range.end);
                function.children.get_or_insert_default().push(symbol);
            }
            _ => {
                symbols.push(symbol);
                if is_function {
                    function = Some(symbols.len() - 1);
                }
            }
        }
    }
    symbols
}

fn symbol(
    document: &Document,
    definition: &Definition,
    is_function: bool,
    encoding: Encoding,
) -> DocumentSymbol {
    let text = &document.text;
    let rest = text
        .as_str()
        .get(definition.rest.clone())
        .unwrap_or_default();
    #[expect(deprecated, reason = "the structure has the field")]
    DocumentSymbol {
        name: definition.name.clone(),
        detail: (!rest.is_empty()).then(|| rest.to_owned()),
        kind: match definition.kind {
            DefinitionKind::Label if is_function => SymbolKind::FUNCTION,
            DefinitionKind::Label => SymbolKind::KEY,
            DefinitionKind::Value => SymbolKind::CONSTANT,
            DefinitionKind::Macro => SymbolKind::METHOD,
            DefinitionKind::Object => SymbolKind::VARIABLE,
        },
        tags: None,
        deprecated: None,
        range: text.range(&definition.whole, encoding),
        selection_range: text.range(&definition.span, encoding),
        children: None,
    }
}
