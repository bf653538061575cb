/* The settings of optional modules, one line each. */

export * as accounts from '../accounts/settings.ts'
