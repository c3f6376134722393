-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Starts `slipway lsp` for RPL, JSON and ZE Info. Neovim 0.7 or later; `require("slipway").setup()` in init.lua.
local M = {}

local defaults = {
  command = { "slipway", "lsp" },
  filetypes = { "rpl", "json", "jsonc", "zeinfo" },
  -- Of sources that no project file names: `pipeline`, `entryPoints` and `options`.
  init_options = {},
}

-- The directory of the nearest project file, or of the file.
local function root_of(file)
  local directory = vim.fn.fnamemodify(file, ":p:h")
  local at = directory
  while true do
    if vim.fn.glob(at .. "/*.rplproject.json") ~= "" then
      return at
    end
    local above = vim.fn.fnamemodify(at, ":h")
    if above == at then
      return directory
    end
    at = above
  end
end

local clients = {} -- by root directory

local function attach(options, buffer)
  local file = vim.api.nvim_buf_get_name(buffer)
  if file == "" then
    return
  end
  local root = root_of(file)
  local client = clients[root] and vim.lsp.get_client_by_id(clients[root])
  if not client then
    clients[root] = vim.lsp.start_client({
      name = "slipway",
      cmd = options.command,
      root_dir = root,
      init_options = options.init_options,
      on_attach = options.on_attach,
    })
  end
  if clients[root] then
    vim.lsp.buf_attach_client(buffer, clients[root])
  end
end

function M.setup(options)
  options = vim.tbl_extend("force", defaults, options or {})
  local group = vim.api.nvim_create_augroup("slipway", {})
  vim.api.nvim_create_autocmd({ "BufRead", "BufNewFile" }, {
    group = group,
    pattern = "*.rpl",
    callback = function()
      vim.bo.filetype = "rpl"
      vim.bo.commentstring = "// %s"
    end,
  })
  vim.api.nvim_create_autocmd({ "BufRead", "BufNewFile" }, {
    group = group,
    pattern = { "*.ze_info", "*.zeinfo" },
    callback = function()
      vim.bo.filetype = "zeinfo"
    end,
  })
  vim.api.nvim_create_autocmd("FileType", {
    group = group,
    pattern = options.filetypes,
    callback = function(event)
      attach(options, event.buf)
    end,
  })
end

return M
