/* Ways to sign in that are optional modules, one line each. */

export * as accounts from './accounts/module.ts'
