/* The pages of optional modules, one line each. */
export * as webhooks from './webhooks/module.tsx'
