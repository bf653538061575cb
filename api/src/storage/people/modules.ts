/* Optional modules that keep credentials of people, one line each. */

export * as accounts from '../../accounts/storage/credentials.ts'
