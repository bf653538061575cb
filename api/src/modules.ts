/*
 * The optional modules of the API, one line each. To remove one, delete its line in every file `modules.ts` of the
 * product, and its folders.
 */

export * as accounts from './accounts/module.ts'
export * as machines from './machines/module.ts'
export * as mail from './mail/module.ts'
export * as webhooks from './webhooks/module.ts'
