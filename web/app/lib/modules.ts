/* What optional modules add to every page, one line each. */

export * as accounts from './accounts/module.ts'
export * as machines from './machines/module.ts'
export * as mail from './mail/module.ts'
export * as webhooks from './webhooks/module.ts'
