/* The commands of optional modules, one line each. */

export * as accounts from './accounts/module.ts'
