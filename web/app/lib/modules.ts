/* What optional modules add to every page, one line each. */
export * as webhooks from './webhooks/module.ts'
