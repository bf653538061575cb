/*
 * The optional modules of the API, one line each. To remove one, delete its line here, in the lists of the same name
 * in contract/src, api/src/storage/schema, web/app/lib and web/app/features, and its folders.
 */

export * as accounts from './accounts/module.ts'
export * as machines from './machines/module.ts'
export * as mail from './mail/module.ts'
export * as webhooks from './webhooks/module.ts'
