// Starts `gcn lsp` for documents of GCN assembly, and hands it the settings; starts `gcn debug --dap` or `gcn exec --dap` for
// sessions of the debugger.
'use strict';

const { DebugAdapterExecutable, commands, debug, window, workspace } = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

let client;

/** Command that starts gcn. */
const path = () => workspace.getConfiguration('gcn').get('path');

/** Settings as the server reads them. */
function settings() {
  const all = workspace.getConfiguration('gcn');
  const target = all.get('target');
  return {
    ...(target ? { target } : {}),
    dialect: all.get('dialect'),
    includeDirectories: all.get('includeDirectories'),
    defines: all.get('defines'),
    lint: all.get('lint'),
    operandColumn: all.get('operandColumn'),
    commentColumn: all.get('commentColumn'),
  };
}

/** Debug adapter of a session: for a program if its configuration has `exec`, otherwise for launches. */
function adapter({ configuration }) {
  const { exec, execOptions = [], env } = configuration;
  if (!exec) {
    return new DebugAdapterExecutable(path(), ['debug', '--dap']);
  }
  return new DebugAdapterExecutable(path(), ['exec', '--dap', ...execOptions, '--', ...exec], { env });
}

async function start() {
  const command = path();
  client = new LanguageClient(
    'gcn',
    'GCN assembly',
    { command, args: ['lsp'] },
    {
      documentSelector: [{ language: 'gcn' }],
      initializationOptions: settings(),
      synchronize: { fileEvents: workspace.createFileSystemWatcher('**/*.{s,S,inc,gcn}') },
    },
  );
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    window.showErrorMessage(`${command} lsp does not start: ${error.message}. Set gcn.path to the command gcn.`);
  }
}

async function stop() {
  const stopping = client;
  client = undefined;
  await stopping?.stop();
}

exports.activate = async (context) => {
  context.subscriptions.push(
    debug.registerDebugAdapterDescriptorFactory('gcn', {
      createDebugAdapterDescriptor: adapter,
    }),
    commands.registerCommand('gcn.restart', async () => {
      await stop();
      await start();
    }),
    workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration('gcn.path')) {
        await stop();
        await start();
      } else if (event.affectsConfiguration('gcn')) {
        await client?.sendNotification('workspace/didChangeConfiguration', { settings: settings() });
      }
    }),
  );
  await start();
};

exports.deactivate = stop;
