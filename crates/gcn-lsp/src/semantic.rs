//! Semantic tokens: the types of words, literals, comments and operators in a document.

use std::collections::HashMap;

use gcn_asm::syntax::{Token, TokenKind};
use gcn_isa::{Isa, Op, regs};
use lsp_types::{
    SemanticToken, SemanticTokenModifier, SemanticTokenType, SemanticTokens, SemanticTokensEdit,
};

use crate::context::{Context, instruction};
use crate::definition;
use crate::outline::DefinitionKind;
use crate::text::Positions;

/// Token types, indexed by number.
pub(crate) const TYPES: [SemanticTokenType; 11] = [
    SemanticTokenType::COMMENT,
    SemanticTokenType::STRING,
    SemanticTokenType::NUMBER,
    SemanticTokenType::OPERATOR,
    SemanticTokenType::KEYWORD,
    SemanticTokenType::MACRO,
    SemanticTokenType::DECORATOR,
    SemanticTokenType::VARIABLE,
    SemanticTokenType::FUNCTION,
    SemanticTokenType::PARAMETER,
    SemanticTokenType::PROPERTY,
];
/// Token modifiers, indexed by bit.
pub(crate) const MODIFIERS: [SemanticTokenModifier; 2] = [
    SemanticTokenModifier::DEFINITION,
    SemanticTokenModifier::READONLY,
];

const DEFINITION: u32 = 1;
const READONLY: u32 = 2;

/// Index into [`TYPES`].
#[derive(Clone, Copy)]
#[repr(u32)]
enum TokenType {
    Comment,
    String,
    Number,
    Operator,
    Keyword,
    Macro,
    Decorator,
    Variable,
    Function,
    Parameter,
    Property,
}

/// Classifier of a document's tokens.
struct Classifier<'a> {
    context: &'a Context<'a>,
    names: HashMap<String, DefinitionKind>,
    /// Cache of instructions by mnemonic.
    known: HashMap<&'a str, Option<Op>>,
}

/// Returns the semantic tokens of a document or a range of lines.
pub(crate) fn tokens(context: &Context<'_>, lines: Option<(u32, u32)>) -> SemanticTokens {
    let mut classifier = Classifier {
        context,
        names: definition::names(context),
        known: HashMap::new(),
    };
    let text = &context.document.text;
    let mut positions = Positions::new(text, context.encoding);
    let mut data = Vec::new();
    let mut last = (0, 0);
    for index in 0..context.outline.statements.len() {
        let statement = context.outline.statement(index);
        let begin = statement.first().map_or(0, |token| token.span.start);
        let end = statement.last().map_or(0, |token| token.span.end);
        if let Some((first, behind)) = lines
            && (text.line_of(end) < first as usize || text.line_of(begin) > behind as usize)
        {
            continue;
        }
        let mut op = None;
        for token in statement {
            if token.kind == TokenKind::Mnemonic {
                op = classifier.op(context.slice(token));
            }
            let Some((kind, modifiers)) = classifier.kind(token, op) else {
                continue;
            };
            // Split tokens at line ends, since the protocol does not allow multi-line tokens.
            let mut at = token.span.start;
            while at < token.span.end {
                let place = positions.advance(at);
                let line = text.line(place.line as usize);
                let end = line.end.min(token.span.end);
                let length = context
                    .encoding
                    .length(context.text().get(at..end).unwrap_or_default());
                if length > 0 {
                    let delta_line = place.line - last.0;
                    data.push(SemanticToken {
                        delta_line,
                        delta_start: place.character - if delta_line == 0 { last.1 } else { 0 },
                        length,
                        token_type: kind as u32,
                        token_modifiers_bitset: modifiers,
                    });
                    last = (place.line, place.character);
                }
                let Some(next) = positions.next_line() else {
                    break;
                };
                at = next;
            }
        }
    }
    SemanticTokens {
        result_id: None,
        data,
    }
}

impl<'a> Classifier<'a> {
    fn op(&mut self, mnemonic: &'a str) -> Option<Op> {
        let isa = self.context.isa;
        *self
            .known
            .entry(mnemonic)
            .or_insert_with(|| Some(instruction(isa, mnemonic)?.0))
    }

    /// Returns the type and modifiers of a token, or `None` for tokens without a type, such as brackets.
    fn kind(&self, token: &Token, op: Option<Op>) -> Option<(TokenType, u32)> {
        let word = self.context.slice(token);
        Some(match token.kind {
            TokenKind::Label => (TokenType::Function, DEFINITION),
            TokenKind::Assigned => (TokenType::Variable, DEFINITION | READONLY),
            TokenKind::Directive => (TokenType::Decorator, 0),
            TokenKind::Mnemonic
                if op.is_some() && self.names.get(word) != Some(&DefinitionKind::Macro) =>
            {
                (TokenType::Keyword, 0)
            }
            TokenKind::Mnemonic => match self.names.get(word) {
                Some(DefinitionKind::Macro) => (TokenType::Macro, 0),
                _ => return None,
            },
            TokenKind::Word => return self.word(word, op),
            TokenKind::Parameter => (TokenType::Parameter, 0),
            TokenKind::Number => (TokenType::Number, 0),
            TokenKind::String | TokenKind::Text => (TokenType::String, 0),
            TokenKind::Comment => (TokenType::Comment, 0),
            TokenKind::Operator | TokenKind::Separator
                if word.len() == 1 && "+-*/&|^~!<>=%".contains(word) =>
            {
                (TokenType::Operator, 0)
            }
            TokenKind::Operator | TokenKind::Separator => return None,
        })
    }

    fn word(&self, word: &str, op: Option<Op>) -> Option<(TokenType, u32)> {
        if is_register(self.context.isa, word) {
            return Some((TokenType::Variable, 0));
        }
        let has_modifier = op.is_some_and(|op| {
            let mut names = op.row().modifiers().flat_map(|it| it.names);
            names.any(|name| *name == word)
        });
        if has_modifier {
            return Some((TokenType::Property, 0));
        }
        match self.names.get(word)? {
            DefinitionKind::Label => Some((TokenType::Function, 0)),
            DefinitionKind::Value => Some((TokenType::Variable, READONLY)),
            DefinitionKind::Macro => Some((TokenType::Macro, 0)),
            DefinitionKind::Object => Some((TokenType::Variable, 0)),
        }
    }
}

/// True for a register name, or a register bank before `[`.
pub(crate) fn is_register(isa: Isa, word: &str) -> bool {
    let number = ["v", "s", "ttmp"]
        .iter()
        .find_map(|bank| word.strip_prefix(bank));
    number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
        || regs::named(isa, word).is_some()
}

/// Returns the edit that transforms one token list into another; empty if they are equal.
pub(crate) fn difference(old: &[SemanticToken], new: &[SemanticToken]) -> Vec<SemanticTokensEdit> {
    /// Number of integers per token in the protocol.
    const NUMBERS: usize = 5;
    let prefix = old
        .iter()
        .zip(new)
        .take_while(|(old, new)| old == new)
        .count();
    let (old, new) = (
        old.get(prefix..).unwrap_or_default(),
        new.get(prefix..).unwrap_or_default(),
    );
    let suffix = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take_while(|(old, new)| old == new)
        .count();
    let removed = old.len() - suffix;
    let added = new.get(..new.len() - suffix).unwrap_or_default();
    if removed == 0 && added.is_empty() {
        return Vec::new();
    }
    let number = |tokens: usize| u32::try_from(tokens * NUMBERS).unwrap_or(u32::MAX);
    vec![SemanticTokensEdit {
        start: number(prefix),
        delete_count: number(removed),
        data: (!added.is_empty()).then(|| added.to_vec()),
    }]
}
