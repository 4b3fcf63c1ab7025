-- Run by Neovim after the lines of docs/editors.md and with a kernel open: checks what its own client gets from `gcn lsp`.
local failed = {}

local function check(name, ok, got)
  if not ok then
    table.insert(failed, name .. ': ' .. vim.inspect(got))
  end
end

--- Waits until a condition holds.
local function await(name, condition)
  check(name, vim.wait(30000, condition, 20), 'nothing within 30 s')
end

--- Answer to a request about the text at line `line` of the buffer, counted from 1, and a column, counted from 0.
local function ask(method, line, column)
  vim.api.nvim_win_set_cursor(0, { line, column })
  local params = vim.lsp.util.make_position_params()
  params.options = { tabSize = 4, insertSpaces = true }
  local answers = vim.lsp.buf_request_sync(0, method, params, 30000) or {}
  for _, answer in pairs(answers) do
    return answer.result
  end
end

local ok, problem = pcall(function()
  await('attached', function()
    return #vim.lsp.buf_get_clients(0) > 0 and vim.tbl_count(vim.diagnostic.get(0)) == 1
  end)
  local found = vim.diagnostic.get(0)[1]
  check('diagnostic', found and found.code == 'unknown-opcode' and found.lnum == 4, found)
  local hover = ask('textDocument/hover', 3, 4)
  check('hover', hover and vim.inspect(hover.contents):find('lgkmcnt'), hover)
  local list = ask('textDocument/completion', 5, 6)
  local items = list and vim.lsp.util.extract_completion_items(list) or {}
  local has_add = false
  for _, item in ipairs(items) do
    has_add = has_add or item.label == 'v_add_f32'
  end
  check('completion', has_add, #items)
  vim.api.nvim_win_set_cursor(0, { 6, 12 })
  vim.lsp.buf.definition()
  await('definition', function()
    return vim.api.nvim_win_get_cursor(0)[1] == 7
  end)
  -- An edit by the editor reaches the server.
  vim.api.nvim_buf_set_lines(0, 4, 5, false, { '  v_add_f32 v0, v1, v2' })
  await('findings', function()
    local all = vim.diagnostic.get(0)
    return #all == 1 and all[1].code == 'missing-wait' and all[1].lnum == 3
  end)
  if vim.lsp.buf.format then
    vim.lsp.buf.format({ timeout_ms = 30000 })
  else
    vim.lsp.buf.formatting_sync(nil, 30000)
  end
  local line = vim.api.nvim_buf_get_lines(0, 2, 3, false)[1]
  check('format', line:find('^%s+s_load_dword%s%s+s0, s%[4:5%], 0x0$'), line)
end)
check('script', ok, problem)
io.stdout:write(#failed == 0 and 'all passed\n' or table.concat(failed, '\n') .. '\n')
vim.cmd(#failed == 0 and 'qall!' or 'cquit!')
