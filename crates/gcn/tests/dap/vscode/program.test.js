// Tests `gcn exec --dap` with the same client. The variables GCN, PROGRAM and SOURCE name the command, a HIP program that was built
// from `tests/exec/scale.hip` with -g, and that file.
'use strict';

const { test } = require('node:test');
const assert = require('node:assert');
const fs = require('node:fs');
const { DebugClient } = require('@vscode/debugadapter-testsupport');

const { GCN: gcn, PROGRAM: program, SOURCE: source } = process.env;

test('a program stops at a line of its kernel', { timeout: 60_000 }, async () => {
  const client = new DebugClient(`'${gcn}'`, `exec --dap -- '${program}'`, 'gcn', { shell: true });
  await client.start();
  const line = fs.readFileSync(source, 'utf8').split('\n').findIndex((it) => it.includes('* factor;')) + 1;
  try {
    await client.hitBreakpoint({}, { path: source, line });
    const { threads } = (await client.threadsRequest()).body;
    assert.ok(threads.length > 0);
    const [frame] = (await client.stackTraceRequest({ threadId: threads[0].id })).body.stackFrames;
    const { result } = (await client.evaluateRequest({ expression: 'pixels[3]', frameId: frame.id })).body;
    assert.strictEqual(result, '3');
    await client.setBreakpointsRequest({ source: { path: source }, breakpoints: [] });
    await Promise.all([
      client.waitForEvent('terminated'),
      client.assertOutput('stdout', 'sum 24384'),
      client.continueRequest({ threadId: threads[0].id }),
    ]);
  } finally {
    await client.stop();
  }
});
