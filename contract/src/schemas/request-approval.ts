import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import { Due, KeyName } from './key.ts'
import { AssuranceField, MAX_REMEMBER_HOURS, TouchField } from './policy.ts'
import { Release, ReleaseField } from './release.ts'
import { WhyNot } from './request-refusal.ts'
import { NamedBundle, NamedWorkspace } from './request-wait.ts'
import {
  Actor,
  environmentValue,
  Flag,
  Id,
  listOf,
  object,
  optionalText,
  requiredText,
  Timestamp,
  wholeNumber,
} from './text.ts'

/** Bundles that a request may mean, each with its workspace. */
export const CandidateList = listOf('Candidate', { workspace: NamedWorkspace, bundle: NamedBundle })

export const RequestBundleList = z
  .array(object('RequestBundleEntry', { id: Id, name: z.string(), description: z.string() }))
  .meta({ id: 'RequestBundleList' })

/** `built_from`: the names of which the bundle composes a value; absent for any other value. Their values go into it
 * even if they are not chosen. With `missing_parts`, which the bundle does not deliver, the value cannot be chosen. */
export const RequestBundle = object('RequestBundle', {
  id: Id,
  name: z.string(),
  description: z.string(),
  items: z.array(
    object('RequestBundleItem', {
      key: z.string(),
      key_name: z.string().nullable(),
      value: z.string(),
      is_secret: z.boolean(),
      description: z.string().nullable(),
      required: z.boolean(),
      due: Due,
      built_from: z.array(z.string()).optional(),
      missing_parts: z.array(z.string()).optional(),
      /** Of the value; null for a legacy item. */
      version: z.int().nullable().optional(),
      changed_at: Timestamp.nullable().optional(),
      changed_by: z.string().nullable().optional(),
      /** Whether another bundle sets rules for this value that demand more than this bundle's. */
      stricter: z.boolean().optional(),
      /** Whether the value is another one than in the caller's last approval of the bundle. */
      changed: z.boolean().optional(),
    }),
  ),
  is_production: z.boolean().optional(),
  /** When the caller last approved a delivery of this bundle; null: never. */
  last_approved_at: Timestamp.nullable().optional(),
  assurance: AssuranceField.optional(),
  /** Whether the caller may approve this request with this bundle at all. */
  may_approve: z.boolean().optional(),
  why_not: WhyNot.nullable().optional(),
  /** The ways of return that the client offers and the bundle allows. */
  release: z.array(ReleaseField).optional(),
  /** Whether the approval must return to the terminal in one of these ways. */
  release_required: z.boolean().optional(),
  approvals_needed: z.int().optional(),
  /** An approval is refused with `touch_required` until the approver signs it; absent: it is not. */
  touch: TouchField.optional(),
  /** Who approved first, and what; null: no one yet, or with another bundle. */
  first_approval: z
    .object({ person: Actor, at: Timestamp, keys: z.array(z.string()), returned: z.boolean() })
    .nullable()
    .optional(),
  /** Whether the caller may vouch for the request: only others may approve it. */
  may_vouch: z.boolean().optional(),
  /** Who says that the terminal is theirs, for people of the same workspace. `email`: null until it is verified.
   * `counts`: whether it replaces the return to the terminal for these keys. */
  vouch: z
    .object({
      person: Actor,
      email: z.string().nullable(),
      member_since: Timestamp.nullable(),
      is_new_network: z.boolean(),
      at: Timestamp,
      keys: z.array(z.string()),
      returned_by: ReleaseField,
      counts: z.boolean(),
    })
    .nullable()
    .optional(),
  /** For how many hours the approver may let this terminal repeat the approval; 0: not at all. */
  remember_hours: z.int().optional(),
  /** Whether the approver may let it be repeated in all working trees of the repository. */
  remember_repository: z.literal(true).optional(),
  /** Whether the approver may approve this command for its next run (`later`), because nothing reaches it now. */
  may_be_later: z.literal(true).optional(),
  /** The approver may approve a task, which lets programs of this terminal get these keys for 30 minutes. `rule`: the
   * approver, an owner, first has to allow tasks in this folder, or (null) for the bundle. `also`: waiting requests of
   * the same terminal that the task covers. */
  task: z
    .object({
      rule: z.object({ folder: z.string().nullable() }).optional(),
      also: z.array(z.object({ request_id: z.string(), argv: z.array(z.string()) })),
    })
    .optional(),
  /** Whether remembering needs `release: "loopback"`. */
  remember_needs_loopback: z.boolean().optional(),
  /** Requested names that the bundle lacks, whose values the approver may type; absent: none. `known`: another bundle
   * of the same application delivers the name. `keep`: the approver may store such a value in the bundle, or propose
   * it to the owners; null: it is used once. */
  may_type: z
    .object({
      names: z.array(z.object({ name: z.string(), known: z.boolean() })),
      keep: z.enum(['store', 'propose']).nullable(),
    })
    .optional(),
})

/** `keys`: names with commas between them, which the approver would choose, so that the answer says what their rules
 * demand. Absent: what the client asked for, or all. */
export const RequestBundleQuery = z.object({ keys: z.string().optional() })

const REMEMBER = `remember_hours must be a whole number from 1 to ${MAX_REMEMBER_HOURS}`

const EMPTY = 'include_keys must not be empty'
const chosenBundle = requiredText('bundle_id', LIMITS.nameLength, 'bundle_id required')
const chosenKeys = z.array(z.string({ error: 'include_keys must be key names' }), {
  error: 'include_keys required',
})

/** `include_keys`: those that the others may approve. */
export const VouchRequest = object('VouchRequest', {
  bundle_id: chosenBundle,
  include_keys: chosenKeys.min(1, EMPTY),
  release: ReleaseField,
})

/** The vouch counts once the terminal returned it. */
export const Vouched = object('Vouched', { ok: z.literal(true), release: Release })

const TYPED = `typed must be a list of at most ${LIMITS.depositEntries} names and values`

/** A value that the bundle lacks. `propose`: to the owners as well. */
const TypedValue = z.object(
  {
    name: KeyName,
    value: environmentValue('every typed name needs a value'),
    is_secret: Flag('is_secret').default(true),
    propose: Flag('propose').default(false),
  },
  { error: TYPED },
)

export const EncryptFromBundle = z
  .object({
    bundle_id: chosenBundle,
    /** May be empty only beside `typed`. */
    include_keys: chosenKeys,
    /** Needs `release`, and is neither remembered nor stored; see `may_type` of the bundle. */
    typed: z
      .array(TypedValue, { error: TYPED })
      .max(LIMITS.depositEntries, TYPED)
      .refine((typed) => new Set(typed.map(({ name }) => name)).size === typed.length, {
        error: 'typed must not name a variable twice',
      })
      .default([]),
    user_code: optionalText('user_code', 32).optional(),
    /** How the approval returns to the terminal; one of the ways that the client offered. */
    release: ReleaseField.optional(),
    /** Let this terminal repeat the approval for this command for so long. */
    remember_hours: wholeNumber(REMEMBER, 1, MAX_REMEMBER_HOURS).optional(),
    /** With `remember_hours`: in the folder of the command, or in all working trees of its repository. `task`: without
     * `remember_hours`. */
    remember_for: z
      .enum(['folder', 'repository', 'task'], { error: 'remember_for must be folder, repository or task' })
      .optional(),
    /** Ids of requests that the page listed and that start with the task. */
    also: z
      .array(requiredText('also', LIMITS.nameLength, 'also must be ids of requests'))
      .max(LIMITS.taskStarts, `also must be at most ${LIMITS.taskStarts} ids`)
      .optional(),
    /** Deliver nothing now: let the terminal run this command once, when it asks again within 30 minutes. */
    later: z.literal(true, { error: 'later must be true' }).optional(),
  })
  .refine(
    ({ later, release, remember_hours, typed, remember_for }) =>
      !later || !(release || remember_hours || typed.length || remember_for === 'task'),
    {
      error: 'later cannot be combined with release, remember_hours, typed or a task',
      path: ['later'],
    },
  )
  .refine(({ include_keys, typed }) => include_keys.length + typed.length > 0, {
    error: EMPTY,
    path: ['include_keys'],
  })
  .meta({ id: 'EncryptFromBundle' })

export const StorePayload = object('StorePayload', {
  ciphertext_base64: z
    .base64({ error: 'ciphertext_base64 must be base64' })
    .min(1, 'ciphertext_base64 required'),
})
