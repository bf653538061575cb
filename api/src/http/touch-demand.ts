import type { Signed } from '@keyferry/contract'
import { z } from 'zod'
import type { CallSubject } from '../domain/people/touch-facts.ts'

/** What a call sends. */
export type Sent = Signed & { act: string; params: unknown; body: unknown }

const Ids = z.looseObject({
  bundle_id: z.string().optional(),
  key_id: z.string().optional(),
  machine_id: z.string().optional(),
  user_id: z.string().optional(),
  group_id: z.string().optional(),
  proposal_id: z.string().optional(),
})

const Choices = z.looseObject({
  share: z.array(z.string()).default([]),
  replace: z.union([z.literal('all'), z.array(z.string())]).default([]),
})

const OfBundle = Choices.extend({
  bundle: z.string(),
  entries: z.array(z.looseObject({ name: z.string(), from: z.string().optional() })),
  detach: z.array(z.string()),
})

const Body = z.looseObject({
  key_id: z.string().optional(),
  key_ids: z.array(z.string()).optional(),
  bundle_id: z.string().optional(),
  dry_run: z.boolean().optional(),
  touch: z.string().nullable().optional(),
  name: z.string().optional(),
  role: z.string().optional(),
  is_active: z.boolean().optional(),
  audit: z.boolean().optional(),
  replaces: z.string().optional(),
  people: z.array(z.string()).nullable().optional(),
  groups: z.array(z.string()).optional(),
})

export const bodyOf = (body: unknown) => Body.catch({}).parse(body)

/** What a call is about; null: it is one that nobody signs here. */
export function aboutOf({ act, by, params, body }: Sent): CallSubject | null {
  const { bundle_id, key_id, machine_id, user_id, group_id, proposal_id } = Ids.parse(params ?? {})
  const ids = {
    bundleIds: [bundle_id].filter(isGiven),
    keyIds: [key_id, bodyOf(body).key_id].filter(isGiven),
    programIds: [machine_id].filter(isGiven),
    userIds: [user_id].filter(isGiven),
    groupIds: [group_id].filter(isGiven),
    proposalIds: [proposal_id].filter(isGiven),
  }
  const subject = SUBJECTS[by]?.({ act, body, ids }) ?? null
  return subject && { ...subject, isOfRules: OF_RULES.test(act), isSetting: setsTouch({ act, body }) }
}

type Given = Pick<Sent, 'act' | 'body'> & { ids: CallSubject }

const ofPath = ({ ids }: Given): CallSubject => ids
const ofWorkspace = (given: Given): CallSubject => ({ ...withNamed(given), isWide: true })

// Whom a body names. A rule names people and groups in one list.
function withNamed({ ids, body }: Given): CallSubject {
  const { replaces, people, groups = [] } = bodyOf(body)
  const named = people ?? []
  const userIds = [...(ids.userIds ?? []), replaces, ...named].filter(isGiven)
  return { ...ids, userIds, groupIds: [...(ids.groupIds ?? []), ...groups, ...named] }
}

const SUBJECTS: Partial<Record<Signed['by'], (given: Given) => CallSubject | null>> = {
  bundle: (given) => ({ ...withNamed(given), newNames: [bodyOf(given.body).name].filter(isGiven) }),
  key: ofPath,
  attachment: ({ body, ids }) => ({
    ...ids,
    keyIds: [...(ids.keyIds ?? []), bodyOf(body).key_id].filter(isGiven),
  }),
  // The log is of the whole workspace.
  program: ({ act, body, ids }) =>
    takesOnly(act, body) ? null : { ...ids, isWide: bodyOf(body).audit === true },
  workspace: ofWorkspace,
  member: ofWorkspace,
  body: ({ act, body, ids }) =>
    act === 'acceptProposal' ? { ...ids, taken: takenBy([Choices.parse(body)]) } : aboutBody(body),
}

// The update only stops a program, or takes the audit log from it.
function takesOnly(act: string, body: unknown): boolean {
  const given = Object.entries(bodyOf(body)).filter(
    ([name, value]) => name !== 'expected' && value !== undefined,
  )
  return act.startsWith('update') && given.every(([, value]) => value === false)
}

function aboutBody(body: unknown): CallSubject | null {
  const { key_ids: keyIds, bundle_id, dry_run } = bodyOf(body)
  if (dry_run === true) return null
  if (keyIds !== undefined) return { keyIds, bundleIds: [bundle_id].filter(isGiven) }
  const { also } = z.looseObject({ also: z.array(OfBundle) }).parse(body)
  const all = [OfBundle.parse(body), ...also]
  return {
    bundleNames: all.flatMap(({ bundle, entries }) => [bundle, ...entries.flatMap(({ from }) => from ?? [])]),
    names: all.flatMap(({ entries, detach }) => [...entries.map(({ name }) => name), ...detach]),
    taken: takenBy(all),
  }
}

// An import can share a key of any bundle, and replace its value.
function takenBy(choices: readonly z.output<typeof Choices>[]): NonNullable<CallSubject['taken']> {
  if (choices.some(({ replace }) => replace === 'all')) return 'all'
  return choices.flatMap(({ share, replace }) => (replace === 'all' ? [] : [...share, ...replace]))
}

function isGiven(id: string | undefined): id is string {
  return id !== undefined
}

const OF_RULES = /^change(Bundle|Tenant)Policy$/

/** Whether a call sets a rule that asks for signatures. The person who sets it signs that. */
export function setsTouch({ body, act }: Pick<Sent, 'act' | 'body'>): boolean {
  const { touch } = bodyOf(body)
  return OF_RULES.test(act) && touch != null && touch !== 'none'
}
