/* The tables of optional modules, one line each. */

export * as accounts from '../../accounts/storage/rows.ts'
export * as machines from '../../machines/storage/rows.ts'
export * as mail from '../../mail/storage/rows.ts'
export * as webhooks from '../../webhooks/storage/rows.ts'
