/* The pages of optional modules, one line each. */

export * as accounts from './accounts/module.tsx'
export * as machines from './machines/module.tsx'
export * as mail from './mail/module.tsx'
export * as webhooks from './webhooks/module.tsx'
