import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    isolate: false,
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
})
