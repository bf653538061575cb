import { type GroupList, LIMITS } from '@keyferry/contract'
import type { z } from 'zod'
import type { ClockAndIds } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import type { ExpectedChange } from '../base/expected.ts'
import { type Moment, type Stamp, stampOf } from '../base/stamp.ts'
import type { Caller, SignedCaller } from './membership.ts'

/*
 * A group is a named set of members of one workspace. Groups only give: what a group adds, a limited member sees beside
 * their limit, and a rule that names a group names its members. The limit is in the row of the membership, so a missing
 * group never ends it; a rule whose group is gone names nobody. A claim of the identity provider adds members too. They
 * count for no rule until an owner confirms them, and under a touch rule for nothing. It never adds whom an owner took
 * out; only an owner lets them in again.
 */

export type Group = z.output<typeof GroupList>[number]

/** `people`: those whom an owner added or confirmed. */
export type GroupSetting = Pick<Group, 'name' | 'adds' | 'people'>

export type GroupFields = Omit<Group, 'id' | 'unconfirmed_since'>

/** `to`: null when the group is deleted. */
export type GroupChange = { id: string; to: Partial<GroupFields> | null } & Pick<
  ExpectedChange<GroupFields>,
  'expected'
>

export interface GroupStore {
  /** By name. */
  list(tenantId: string): Promise<Group[]>
  /** @throws DomainError conflict (the name is taken, too many groups) · invalid (a person who is no member) */
  create(group: { id: string } & GroupSetting, stamp: Stamp): Promise<void>
}

/** The changes of groups, in a transaction. */
export interface GroupRecords {
  /** Ends the remembered approvals of the members who lose something.
   * @returns their ids
   * @throws DomainError not_found · changed · what `GroupStore.create` throws */
  change(change: GroupChange, stamp: Stamp): Promise<string[]>
  /** Lets a person join and leave, in workspaces that they belong to. Who joins is not confirmed.
   * @returns whose approvals end, and in which workspaces */
  provide(idpUserId: string, groups: ProvidedGroups, moment: Moment): Promise<SignedCaller[]>
}

/** Ids of all groups that a provider fills, and of those that its claim lists for a person. */
export type ProvidedGroups = { filled: readonly string[]; listed: readonly string[] }

/** What the values of a claim say, with the groups of the operator's setting. */
export function providedGroups(
  filled: Readonly<Record<string, string>>,
  claimed: readonly string[],
): ProvidedGroups {
  const entries = Object.entries(filled)
  const listed = entries.flatMap(([value, id]) => (claimed.includes(value) ? [id] : []))
  return { filled: entries.map(([, id]) => id), listed }
}

/** @throws DomainError conflict · invalid */
export async function createGroup(
  { groups, clock }: { groups: GroupStore; clock: ClockAndIds },
  caller: Caller,
  { name, adds = [], people = [] }: ExpectedChange<GroupSetting> & { name: string },
): Promise<{ id: string }> {
  const id = clock.newId()
  await groups.create({ id, name, adds: sorted(adds), people: sorted(people) }, stampOf(caller, clock))
  return { id }
}

/** The fields of a change as they are stored. */
export function storedFields(change: ExpectedChange<GroupFields>): Partial<GroupFields> {
  const { name, adds, people, unconfirmed } = change
  return {
    ...(name !== undefined && { name }),
    ...(adds && { adds: sorted(adds) }),
    ...(people && { people: sorted(people) }),
    ...(unconfirmed && { unconfirmed: sorted(unconfirmed) }),
  }
}

const sorted = (texts: readonly string[]) => [...new Set(texts)].toSorted()

export function groupNotFound(): DomainError {
  return new DomainError('not_found', 'group not found')
}

export function nameTaken(): DomainError {
  return new DomainError('conflict', 'a group has this name already')
}

export function tooManyGroups(): DomainError {
  return new DomainError('conflict', `a workspace has ${LIMITS.groups} groups at most`)
}
