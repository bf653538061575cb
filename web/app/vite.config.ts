import { resolve } from 'node:path'
import { endpoints } from '@keyferry/contract'
import tailwindcss from '@tailwindcss/vite'
import { defineConfig } from 'vite'
import { iconModules } from './icon-modules.ts'

const PAGES = ['index', 'approve', 'arrive', 'note']
const page = (name: string) => resolve(import.meta.dirname, name)

/** Where each endpoint is, by its name. */
const ADDRESSES = Object.fromEntries(
  Object.entries(endpoints).map(([name, { method, path }]) => [name, `${method} ${path}`]),
)

// The approval page has its own entry, so that an approver does not load the rest of the app. `arrive` is what a
// signed-out person gets in its place, and `note` has no script; the server fills in both. Nothing is inlined and no
// polyfill is injected, because the content security policy allows neither inline scripts nor inline styles. Preact
// replaces React (docs/decisions/0004-preact-runs-the-react-code.md).
export default defineConfig({
  root: import.meta.dirname,
  plugins: [tailwindcss(), iconModules],
  define: { ADDRESSES: JSON.stringify(ADDRESSES) },
  resolve: {
    alias: [
      { find: /^react\/jsx-(dev-)?runtime$/, replacement: 'preact/jsx-runtime' },
      { find: /^react-dom\/client$/, replacement: 'preact/compat/client' },
      { find: /^react(-dom)?$/, replacement: 'preact/compat' },
    ],
  },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: ['chrome123', 'edge123', 'firefox128', 'safari17.5'],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: Object.fromEntries(PAGES.map((name) => [name, page(`${name}.html`)])),
      // Modules of React Query say "use client", which means nothing to a bundler for the browser.
      checks: { moduleLevelDirective: false },
    },
  },
})
