-- Tilewright in neovim 0.7 and later: put this into init.lua, with `tilewright` on the PATH.
vim.api.nvim_create_autocmd('FileType', {
  pattern = 'python',
  callback = function(event)
    local directory = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(event.buf), ':p:h')
    local config = {
      name = 'tilewright',
      cmd = { 'tilewright', 'lsp' },
      root_dir = directory,
      init_options = { platform = 'a2a3sim' },
    }
    if vim.lsp.start then -- 0.8 and later
      vim.lsp.start(config, { bufnr = event.buf })
      return
    end
    _G.tilewright_client = _G.tilewright_client or vim.lsp.start_client(config)
    vim.lsp.buf_attach_client(event.buf, _G.tilewright_client)
  end,
})
-- 0.10 and later: vim.lsp.inlay_hint.enable(true). Lenses: vim.lsp.codelens.refresh().
