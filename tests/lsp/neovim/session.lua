-- What neovim 0.7 shows of a program file. It has no inlay hints.
local text = [==[
import pypto.language as pl

ROWS = 16


@pl.program
class Small:
    @pl.function(type=pl.FunctionType.Opaque)
    def small(self, x: pl.Tensor[[64, 128], pl.FP32], y: pl.Out[pl.Tensor[[64, 128], pl.FP32]]):
        for rb in pl.parallel(64 // ROWS):
            with pl.at(level=pl.Level.CORE_GROUP, name_hint="double"):
                rows = pl.slice(x, [ROWS, 128], [rb * ROWS, 0])
                twice = pl.mul(rows, 2.0)
                y = pl.assemble(y, twise, [rb * ROWS, 0])
        return y
]==]

local function check(condition, what)
  if not condition then
    print('\nFAIL: ' .. what)
    vim.cmd('cquit')
  end
end

local path = os.getenv('TILEWRIGHT_WORK') .. '/small.py'
local file = io.open(path, 'w')
file:write(text)
file:close()
dofile(os.getenv('TILEWRIGHT_EDITORS') .. '/neovim.lua')
vim.cmd('filetype on')
vim.cmd('edit ' .. path)

local told
check(vim.wait(30000, function()
  told = vim.diagnostic.get(0)
  return #told == 1
end), 'one diagnostic')
check(told[1].lnum == 13 and told[1].message:find('unknown name twise'), told[1].message)

local function ask(method, line, column, more)
  local params = vim.tbl_extend('force', {
    textDocument = vim.lsp.util.make_text_document_params(0),
    position = { line = line, character = column },
  }, more or {})
  local answers = vim.lsp.buf_request_sync(0, method, params, 30000)
  for _, answer in pairs(answers or {}) do
    return answer.result
  end
end

-- The quick fix, as neovim applies it.
local range = { start = { line = 13, character = 35 }, ['end'] = { line = 13, character = 40 } }
local lsp_told = {}
for _, d in ipairs(told) do lsp_told[#lsp_told + 1] = d.user_data.lsp and {
  range = range, message = d.message, source = d.source, code = d.user_data.lsp.code, severity = 1 } end
local actions = ask('textDocument/codeAction', 13, 35,
  { range = range, context = { diagnostics = lsp_told, only = { 'quickfix' } } })
check(actions and actions[1] and actions[1].title == 'change twise to twice', vim.inspect(actions))
vim.lsp.util.apply_workspace_edit(actions[1].edit, 'utf-16')
check(vim.fn.getline(14):find('twice, %['), vim.fn.getline(14))
check(vim.wait(30000, function() return #vim.diagnostic.get(0) == 0 end), 'no diagnostic after the fix')

local hover = ask('textDocument/hover', 12, 18)
check(hover and hover.contents.value:find('%[16 x 128%] f32'), vim.inspect(hover))
local lenses = ask('textDocument/codeLens', 0, 0)
check(lenses and #lenses == 2 and lenses[1].command.title:find('^predicted '), vim.inspect(lenses))
local definition = ask('textDocument/definition', 12, 32)
check(definition and definition.range.start.line == 11, vim.inspect(definition))
local items = ask('textDocument/completion', 12, 27)
check(items and #items > 50, 'completion of pl.')

-- Half a line, as it is typed.
vim.api.nvim_buf_set_lines(0, 12, 13, false, { '                twice = pl.mul(rows,' })
check(vim.wait(30000, function()
  told = vim.diagnostic.get(0)
  return #told == 1 and told[1].code == 'syntax' or (#told == 1 and told[1].message:find('bracket') ~= nil)
end), 'a syntax error while typing: ' .. vim.inspect(told))
print('\nPASS\n')
vim.lsp.stop_client(vim.lsp.get_active_clients())
