// Tests `gcn debug --dap` with the client of VS Code's own tests of debug adapters: `npm ci`, then `GCN=path/to/gcn npm test`.
'use strict';

const { after, before, test } = require('node:test');
const assert = require('node:assert');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { DebugClient } = require('@vscode/debugadapter-testsupport');

const gcn = process.env.GCN || 'gcn';
let directory;
let kernel;
let program;

/** Line of the kernel that has a text, from 1. */
const line = (text) => fs.readFileSync(kernel, 'utf8').split('\n').findIndex((it) => it.includes(text)) + 1;

/** Runs a test with a client that has started the adapter. */
function session(name, body) {
  test(name, { timeout: 60_000 }, async () => {
    // The client passes one argument, which the shell divides.
    const client = new DebugClient(`'${gcn}'`, 'debug --dap', 'gcn', { shell: true });
    await client.start();
    try {
      await body(client);
    } finally {
      await client.stop();
    }
  });
}

before(() => {
  directory = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'gcn-debug-'));
  kernel = path.join(directory, 'tutorial.s');
  program = path.join(directory, 'launch.toml');
  const lines = fs.readFileSync(path.join(__dirname, '../../../../../tests/debug/tutorial.s'), 'utf8').split('\n');
  const launch = lines.filter((it) => it.startsWith('//! ')).map((it) => it.slice(4));
  fs.writeFileSync(kernel, lines.filter((it) => !it.startsWith('//')).join('\n'));
  fs.writeFileSync(program, ['file = "tutorial.s"', 'target = "gfx900"', ...launch, ''].join('\n'));
});

after(() => fs.rmSync(directory, { recursive: true }));

session('unknown requests are refused', async (client) => {
  await client.initializeRequest();
  await assert.rejects(client.customRequest('frobnicate'));
});

session('a run without stops ends', async (client) => {
  await Promise.all([client.configurationSequence(), client.launch({ program }), client.waitForEvent('terminated')]);
});

session('the run stops on entry', async (client) => {
  await Promise.all([
    client.configurationSequence(),
    client.launch({ program, stopOnEntry: true }),
    client.assertStoppedLocation('entry', { path: kernel, line: line('s_load_dwordx2 s[4:5]') }),
  ]);
});

session('a line breakpoint stops, steps go on and back', async (client) => {
  const load = line('buffer_load_dword');
  await client.hitBreakpoint({ program }, { path: kernel, line: load });
  const { threads } = (await client.threadsRequest()).body;
  const threadId = threads[0].id;
  const step = (request, at) =>
    Promise.all([client[request]({ threadId }), client.assertStoppedLocation('step', { path: kernel, line: at })]);
  await step('nextRequest', load + 1);
  await step('stepInRequest', load + 2);
  await step('stepBackRequest', load + 1);
  await step('stepBackRequest', load);
  const frame = (await client.stackTraceRequest({ threadId })).body.stackFrames[0];
  const { scopes } = (await client.scopesRequest({ frameId: frame.id })).body;
  assert.ok(scopes.some((it) => it.name === 'Lanes'));
  const vectors = scopes.find((it) => it.name === 'Vector registers').variablesReference;
  const { variables } = (await client.variablesRequest({ variablesReference: vectors })).body;
  const lanes = variables.find((it) => it.name === 'v3').variablesReference;
  await client.setVariableRequest({ variablesReference: lanes, name: '[1]', value: '16' });
  assert.equal((await client.evaluateRequest({ expression: 'v3[1]', frameId: frame.id })).body.result, '16');
});

session('a conditional breakpoint stops once its condition holds', async (client) => {
  const at = line('s_cmp_lg_u32');
  const breakpoints = [{ line: at, condition: 's12 == 12' }];
  await Promise.all([
    client
      .waitForEvent('initialized')
      .then(() => client.setBreakpointsRequest({ source: { path: kernel }, breakpoints }))
      .then(() => client.configurationDoneRequest()),
    client.launch({ program }),
    client.assertStoppedLocation('breakpoint', { path: kernel, line: at }),
  ]);
  assert.equal((await client.evaluateRequest({ expression: 's12' })).body.result, '12');
});

session('a data breakpoint stops at a change', async (client) => {
  await Promise.all([
    client.configurationSequence(),
    client.launch({ program, stopOnEntry: true }),
    client.waitForEvent('stopped'),
  ]);
  const { dataId } = (await client.dataBreakpointInfoRequest({ name: 'out[5]' })).body;
  const { breakpoints } = (await client.setDataBreakpointsRequest({ breakpoints: [{ dataId }] })).body;
  assert.ok(breakpoints[0].verified);
  const { threads } = (await client.threadsRequest()).body;
  const [, stopped] = await Promise.all([
    client.continueRequest({ threadId: threads[0].id }),
    client.waitForEvent('stopped'),
  ]);
  assert.equal(stopped.body.reason, 'data breakpoint');
  assert.deepEqual(stopped.body.hitBreakpointIds, [breakpoints[0].id]);
});

session('instructions and output are shown', async (client) => {
  await Promise.all([
    client.configurationSequence(),
    client.launch({ program, stopOnEntry: true }),
    client.waitForEvent('stopped'),
  ]);
  const threadId = (await client.threadsRequest()).body.threads[0].id;
  const frame = (await client.stackTraceRequest({ threadId })).body.stackFrames[0];
  const listed = await client.disassembleRequest({
    memoryReference: frame.instructionPointerReference,
    instructionCount: 4,
  });
  assert.equal(listed.body.instructions.length, 4);
  assert.match(listed.body.instructions[0].instruction, /^s_load_dwordx2/);
  await Promise.all([client.continueRequest({ threadId }), client.assertOutput('stdout', 'sums has ended')]);
});
