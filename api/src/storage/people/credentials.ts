import { type Expression, type SqlBool, sql } from 'kysely'
import type { Query, Recorded } from '../base/queries.ts'
import * as modules from './modules.ts'

type Sides = { from: string; to: string }

/** Credentials that the server keeps. An optional module knows them. */
type KeptCredentials = {
  /** The id of the way in which a person signs in with this address. */
  wayOf: (query: Query, email: string) => Promise<string | null>
  /** Whether a row of `users` signs in with its address. */
  isOwner: Expression<SqlBool>
  /** Whether this row of `users` may get the address. */
  mayHaveAddress: (userId: string, address: string) => Expression<SqlBool>
  /** Why they cannot move to another person, for the operator. */
  moveRefusal: (query: Query, sides: Sides) => Promise<string | null>
  /** Give them to another person.
   * @returns whether there were any */
  move: (transaction: Recorded, sides: Sides) => Promise<boolean>
  /** Give them back. */
  moveBack: (transaction: Recorded, sides: Sides) => Promise<void>
}

const NONE: KeptCredentials = {
  wayOf: async () => null,
  isOwner: sql`1 = 0`,
  mayHaveAddress: () => sql`1 = 1`,
  moveRefusal: async () => null,
  move: async () => false,
  moveBack: async () => undefined,
}

export const credentials: KeptCredentials = Object.values<KeptCredentials>(modules)[0] ?? NONE
