import type { TouchRule } from '@keyferry/contract'
import type { Role } from './membership.ts'

/** What a call is about, as its path and its body name it. `names`: of variables that it changes in these bundles. */
export type CallSubject = {
  signerId?: string
  bundleIds?: readonly string[]
  bundleNames?: readonly string[]
  /** Names that bundles get: the rules of their folders count too. */
  newNames?: readonly string[]
  names?: readonly string[]
  /** Those of its names whose keys it takes from any bundle of the library. */
  taken?: readonly string[] | 'all'
  keyIds?: readonly string[]
  programIds?: readonly string[]
  userIds?: readonly string[]
  groupIds?: readonly string[]
  proposalIds?: readonly string[]
  /** Any rule of the workspace counts. */
  isWide?: boolean
  /** If a rule counts, the strictest of the workspace decides which keys sign. */
  isOfRules?: boolean
  /** A rule that asks for signatures is set: for these bundles, or for all. Programs that already get values from there
   * are signed too. */
  isSetting?: boolean
  /** A signing key: the role of the signer counts without any rule too. */
  isOfKeys?: boolean
}

/** `touch`: the strictest rule that reaches what the call is about; `none` also if none of it exists. `concerns`: the
 * facts that a person signs, sorted. `role`: of the signer, if they are active; undefined: nobody signs. */
export type TouchFacts = {
  touch: TouchRule
  role?: Role | null
  concerns: Readonly<Record<string, readonly TouchFact[]>>
}

export type TouchFact = { id: string } & Readonly<Record<string, unknown>>

export interface TouchFactStore {
  /** For a workspace without such a rule this is one query. */
  find(tenantId: string, about: CallSubject): Promise<TouchFacts>
}
