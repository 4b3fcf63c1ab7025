//! Context of a request: the document, the position, and the statement and instruction at the position.

use gcn_asm::syntax::{Token, TokenKind};
use gcn_isa::{Form, Isa, Op, clrx, llvm};

use crate::document::Document;
use crate::files::OpenTexts;
use crate::outline::Outline;
use crate::settings::Settings;
use crate::text::Encoding;

/// Position in a document, with the data that requests need.
pub(crate) struct Context<'a> {
    pub document: &'a Document,
    pub settings: &'a Settings,
    pub open: &'a OpenTexts,
    pub encoding: Encoding,
    pub outline: &'a Outline,
    pub isa: Isa,
    /// Byte offset of the position.
    pub offset: usize,
}

impl<'a> Context<'a> {
    pub(crate) fn text(&self) -> &'a str {
        self.document.text.as_str()
    }

    /// Returns the text of a token.
    pub(crate) fn slice(&self, token: &Token) -> &'a str {
        self.text().get(token.span.clone()).unwrap_or_default()
    }

    /// Returns the token at the position.
    pub(crate) fn token(&self) -> Option<&'a Token> {
        self.outline.token_at(self.offset)
    }

    /// Returns the tokens of the statement at the position, or an empty slice after its end.
    pub(crate) fn statement(&self) -> &'a [Token] {
        let Some(index) = self.outline.statement_at(self.offset) else {
            return &[];
        };
        let tokens = self.outline.statement(index);
        let end = tokens.last().map_or(0, |token| token.span.end);
        let behind = self.text().get(end..self.offset).unwrap_or_default();
        let is_over = behind.contains('\n')
            || tokens.last().is_some_and(|last| {
                last.kind == TokenKind::Separator && last.span.end <= self.offset
            });
        if is_over { &[] } else { tokens }
    }

    /// Returns the directive or mnemonic of a statement, with its index.
    pub(crate) fn head(&self, statement: &'a [Token]) -> Option<(usize, &'a Token)> {
        let mut tokens = statement.iter().enumerate();
        tokens.find(|(_, token)| matches!(token.kind, TokenKind::Directive | TokenKind::Mnemonic))
    }

    /// Looks up the instruction for a mnemonic.
    pub(crate) fn instruction(&self, mnemonic: &str) -> Option<(Op, Option<&'static Form>)> {
        instruction(self.isa, mnemonic)
    }
}

/// Looks up the instruction for a mnemonic in LLVM's or CLRX's spelling, and the form that the mnemonic selects.
pub(crate) fn instruction(isa: Isa, mnemonic: &str) -> Option<(Op, Option<&'static Form>)> {
    let tables = isa.tables();
    let lower = mnemonic.to_ascii_lowercase();
    if let Some(found) = tables.mnemonic(lower.as_bytes()) {
        return Some(found);
    }
    let other = |name: &str| clrx::named(isa, name).or_else(|| llvm::named(isa, name));
    let stem = lower
        .strip_suffix("_e64")
        .or(lower.strip_suffix("_e32"))
        .unwrap_or(&lower);
    let op = other(&lower).or_else(|| other(stem))?;
    Some((op, None))
}
