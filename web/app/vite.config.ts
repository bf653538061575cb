import { resolve } from 'node:path'
import { endpoints } from '@keyferry/contract'
import tailwindcss from '@tailwindcss/vite'
import { defineConfig } from 'vite'
import { firstChunk } from './first-chunk.ts'
import { iconModules } from './icon-modules.ts'

// `arrive` is what a signed-out person gets in place of the approval page, and `note` has no script; the server fills
// in both.
const PAGES = {
  approval: { names: ['approve', 'arrive', 'note'], script: 'approve.tsx', groups: [] },
  // What several pages need is one file: a page of 30 small files takes longer to load than to run.
  app: { names: ['index'], script: 'main.tsx', groups: [{ name: 'shared', minShareCount: 3 }] },
} as const

/** Where each endpoint is, by its name. A page that names one endpoint gets that address alone. */
const ADDRESSES = Object.fromEntries(
  Object.entries(endpoints).map(([name, { method, path }]) => [name, `${method} ${path}`]),
)
const EACH = Object.entries(ADDRESSES).map(([name, at]) => [`ADDRESSES.${name}`, JSON.stringify(at)] as const)

// Each mode is built by itself, because what two pages of one build share contains all that either needs
// (docs/decisions/0069-the-approval-page-is-built-by-itself.md). Nothing is inlined and no polyfill is injected,
// because the content security policy allows neither inline scripts nor inline styles. Preact replaces React
// (docs/decisions/0004-preact-runs-the-react-code.md).
export default defineConfig(({ mode }) => {
  const pages = PAGES[mode === 'approval' ? mode : 'app']
  return {
    root: import.meta.dirname,
    plugins: [tailwindcss(), iconModules],
    define: { ...Object.fromEntries(EACH), ADDRESSES: JSON.stringify(ADDRESSES) },
    resolve: {
      alias: [
        { find: /^react\/jsx-(dev-)?runtime$/, replacement: 'preact/jsx-runtime' },
        { find: /^react-dom\/client$/, replacement: 'preact/compat/client' },
        { find: /^react(-dom)?$/, replacement: 'preact/compat' },
      ],
    },
    build: {
      outDir: 'dist',
      emptyOutDir: false,
      target: ['chrome123', 'edge123', 'firefox128', 'safari17.5'],
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rolldownOptions: {
        input: pages.names.map((name) => resolve(import.meta.dirname, `${name}.html`)),
        output: {
          codeSplitting: {
            groups: [firstChunk(pages.script), ...pages.groups],
            includeDependenciesRecursively: false,
          },
        },
        // Only a page's own files and its style sheet do something by being loaded. Of other modules, a page takes
        // what it uses.
        treeshake: { moduleSideEffects: (id) => /\.(css|html)|\/app\/\w+\.tsx?$/.test(id) },
        // Modules of React Query say "use client", which means nothing to a bundler for the browser.
        checks: { moduleLevelDirective: false },
      },
    },
  }
})
