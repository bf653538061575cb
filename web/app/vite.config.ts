import { resolve } from 'node:path'
import tailwindcss from '@tailwindcss/vite'
import { defineConfig } from 'vite'

const page = (name: string) => resolve(import.meta.dirname, name)

// Two entries: whoever approves loads the approval page alone. And the page without a script that the server fills in. Nothing is inlined and no polyfill is injected, because the
// pages are served under a policy that allows neither inline scripts nor inline styles. Preact stands in for React
// (docs/decisions/0004-preact-runs-the-react-code.md).
export default defineConfig({
  root: import.meta.dirname,
  plugins: [tailwindcss()],
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
      input: { index: page('index.html'), approve: page('approve.html'), note: page('note.html') },
      // The icons' modules say "use client", which means nothing to a bundler for the browser.
      checks: { moduleLevelDirective: false },
    },
  },
})
