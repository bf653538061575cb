/* What optional modules know of the credentials of people, one line each. */

export * as accounts from '../../accounts/storage/credentials.ts'
