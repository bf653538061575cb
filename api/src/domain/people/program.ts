import type { Origin } from '../base/origin.ts'
import type { Caller } from './membership.ts'

/** A caller that is not a person: an optional module admits it by its bearer token. */
export type Program = {
  tenantId: string
  origin: Origin | null
  /** The ids of the bundles that it may read. */
  bundleIds: () => Promise<readonly string[]>
}

/** A person or a program, where both may read. */
export type Reader = Caller | Program

export function isProgram(reader: Reader): reader is Program {
  return 'bundleIds' in reader
}

/** The values that an answer may show: a program sees masks alone, and asks for a delivery instead. */
export function shownTo(reader: Reader): 'none' | 'public' {
  return isProgram(reader) ? 'none' : 'public'
}
