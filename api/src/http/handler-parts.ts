import type { Source } from '../domain/source.ts'
import type { Stores } from '../domain/stores.ts'
import type { RequestHandlerParts } from './requests.ts'

/** What the route files are given to answer with. */
export type HandlerParts = {
  stores: Stores
  source: Source
  requests: RequestHandlerParts
  authMode: string
  devAllowPlaintext: boolean
  version: string
  /** Names of the stores that do not answer now. */
  failingStores: () => Promise<string[]>
}
