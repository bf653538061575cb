/* The words of optional modules: for what happened, and for what a signature does; one line each. */

export * as accounts from '../accounts/words.ts'
export * as machines from '../machines/words.ts'
export * as webhooks from '../webhooks/words.ts'
