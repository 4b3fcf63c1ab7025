"""Tests `gcn lsp` with the client of pygls, which validates each answer against the protocol. `GCN` names the command."""

import asyncio
import os
import pathlib
import tempfile
import unittest

from lsprotocol import types
from pygls.lsp.client import LanguageClient

MAIN = """\
.include "lib.s"
.type k,@function
k:
  s_load_dword s0, s[4:5], 0x0
  v_mov_b32 v0, s0
  twice
  v_ad_f32 v0, v1, v2
  s_branch end
end:
  s_endpgm
"""
LIBRARY = ".macro twice\n  s_nop 0\n.endm\n"


def contents(hover):
    """Text of a hover."""
    value = hover.contents
    return value.value if isinstance(value, types.MarkupContent) else str(value)


class Clients(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = pathlib.Path(directory.name, "main.s")
        self.path.write_text(MAIN)
        self.path.with_name("lib.s").write_text(LIBRARY)
        self.uri = self.path.as_uri()
        self.client = LanguageClient("test", "1")
        self.published = asyncio.Queue()

        @self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def publish(params):
            self.published.put_nowait(params)

        await self.client.start_io(os.environ["GCN"], "lsp")
        document = types.TextDocumentClientCapabilities(
            publish_diagnostics=types.PublishDiagnosticsClientCapabilities(related_information=True),
            hover=types.HoverClientCapabilities(content_format=[types.MarkupKind.Markdown]),
        )
        answer = await self.client.initialize_async(
            types.InitializeParams(
                capabilities=types.ClientCapabilities(text_document=document),
                process_id=os.getpid(),
                root_uri=self.path.parent.as_uri(),
                initialization_options={"target": "gfx906"},
            )
        )
        self.legend = answer.capabilities.semantic_tokens_provider.legend
        self.client.initialized(types.InitializedParams())
        item = types.TextDocumentItem(uri=self.uri, language_id="gcn", version=1, text=MAIN)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        self.document = types.TextDocumentIdentifier(self.uri)

    async def asyncTearDown(self):
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await self.client.stop()

    async def diagnostics(self, version, count):
        """Diagnostics of a version, when there are `count` of them: findings come after errors."""
        while True:
            params = await asyncio.wait_for(self.published.get(), 60)
            if (params.uri, params.version, len(params.diagnostics)) == (self.uri, version, count):
                return params.diagnostics

    def at(self, kind, word, after=False):
        """Parameters for the position of a word."""
        before, _ = MAIN.split(word, 1) if not after else (MAIN[: MAIN.index(word) + len(word)], "")
        lines = before.split("\n")
        return kind(self.document, types.Position(len(lines) - 1, len(lines[-1])))

    def change(self, version, line, old, new):
        """Replaces a line of `old` characters."""
        span = types.Range(types.Position(line, 0), types.Position(line, old))
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(version=version, uri=self.uri),
                [types.TextDocumentContentChangePartial(range=span, text=new)],
            )
        )

    async def test_diagnostics(self):
        wrong, = await self.diagnostics(1, 1)
        self.assertEqual((wrong.code, wrong.severity), ("unknown-opcode", types.DiagnosticSeverity.Error))
        self.assertEqual((wrong.range.start.line, wrong.range.start.character), (6, 2))
        self.assertIn("help: did you mean `v_add_f32`", wrong.message)
        self.change(2, 6, len("  v_ad_f32 v0, v1, v2"), "  v_add_f32 v0, v1, v2")
        finding, = await self.diagnostics(2, 1)
        self.assertEqual((finding.code, finding.severity), ("missing-wait", types.DiagnosticSeverity.Warning))
        self.assertEqual(finding.range.start.line, 4)
        self.assertIn(3, [it.location.range.start.line for it in finding.related_information])

    async def test_hover(self):
        hover = await self.client.text_document_hover_async(self.at(types.HoverParams, "s_load_dword"))
        self.assertIn("counters", contents(hover))
        self.assertIn("lgkmcnt", contents(hover))

    async def test_completion(self):
        found = await self.client.text_document_completion_async(self.at(types.CompletionParams, "  v_ad", after=True))
        labels = [item.label for item in found.items]
        self.assertIn("v_add_f32", labels)
        self.assertNotIn("v_sub_f32", labels)
        item, = [item for item in found.items if item.label == "v_add_f32"]
        resolved = await self.client.completion_item_resolve_async(item)
        self.assertTrue(resolved.detail.startswith("v_add_f32 vDST, "))
        labels = await self.client.text_document_completion_async(self.at(types.CompletionParams, "s_branch ", after=True))
        self.assertEqual([item.label for item in labels.items], ["end", "k"])

    async def test_definitions(self):
        for word, file, line in (("end\nend:", "main.s", 8), ("twice", "lib.s", 0), ("lib.s", "lib.s", 0)):
            places = await self.client.text_document_definition_async(self.at(types.DefinitionParams, word))
            place, = places if isinstance(places, list) else [places]
            self.assertEqual((place.uri.rsplit("/", 1)[1], place.range.start.line), (file, line), word)

    async def test_symbols_and_colours(self):
        symbols = await self.client.text_document_document_symbol_async(types.DocumentSymbolParams(self.document))
        self.assertEqual([it.name for it in symbols], ["k"])
        full = await self.client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(self.document))
        kinds = {self.legend.token_types[kind] for kind in full.data[3::5]}
        self.assertLess({"keyword", "variable", "function"}, kinds)
        self.change(2, 9, len("  s_endpgm"), "  s_nop 0")
        delta = await self.client.text_document_semantic_tokens_full_delta_async(
            types.SemanticTokensDeltaParams(text_document=self.document, previous_result_id=full.result_id)
        )
        self.assertIsInstance(delta, types.SemanticTokensDelta)

    async def test_formatting(self):
        options = types.FormattingOptions(tab_size=4, insert_spaces=True)
        edits = await self.client.text_document_formatting_async(types.DocumentFormattingParams(self.document, options))
        lines = MAIN.split("\n")
        for edit in sorted(edits, key=lambda edit: edit.range.start.character, reverse=True):
            start, end = edit.range.start, edit.range.end
            self.assertEqual(start.line, end.line)
            line = lines[start.line]
            lines[start.line] = line[: start.character] + edit.new_text + line[end.character :]
        self.assertEqual(lines[3], "    s_load_dword        s0, s[4:5], 0x0")


if __name__ == "__main__":
    unittest.main()
