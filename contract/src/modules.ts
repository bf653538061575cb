/*
 * The optional parts of the interface, one line each. Delete the line of a part, and its folder, to remove it.
 */

export * as accounts from './accounts/module.ts'
export * as machines from './machines/module.ts'
export * as mail from './mail/module.ts'
export * as webhooks from './webhooks/module.ts'
