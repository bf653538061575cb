import { type Expression, type SqlBool, sql } from 'kysely'
import type { Query, Recorded } from '../base/queries.ts'
import * as modules from './modules.ts'

type Sides = { from: string; to: string }

/** Credentials that the server keeps; an optional module provides this. */
type KeptCredentials = {
  /** The id of the way in which a person signs in with this address. */
  wayOf: (query: Query, email: string) => Promise<string | null>
  /** Whether a row of `users` signs in with its e-mail address. */
  isOwner: Expression<SqlBool>
  /** Whether this row of `users` may get the address. */
  mayHaveAddress: (userId: string, address: string) => Expression<SqlBool>
  /** Why the credentials cannot move to another person, for the operator; null: they can. */
  moveRefusal: (query: Query, sides: Sides) => Promise<string | null>
  /** Move the credentials to another person.
   * @returns the id of their way to sign in; null: there were none */
  move: (transaction: Recorded, sides: Sides) => Promise<string | null>
  /** Move the credentials back. */
  moveBack: (transaction: Recorded, sides: Sides) => Promise<void>
}

const NONE: KeptCredentials = {
  wayOf: async () => null,
  isOwner: sql`1 = 0`,
  mayHaveAddress: () => sql`1 = 1`,
  moveRefusal: async () => null,
  move: async () => null,
  moveBack: async () => undefined,
}

export const credentials: KeptCredentials = Object.values<KeptCredentials>(modules)[0] ?? NONE
