import { printable } from '../base/printable.ts'
import { inWorkspace, type Outcome } from './waiting-view.ts'

/** What a person has to know about the delivery. Contains no value. */
export type Received = {
  readonly names: readonly string[]
  /** Requested, optional and not delivered. */
  readonly missing: readonly string[]
  /** Names; null if the server does not say. */
  readonly bundle: string | null
  readonly workspace: string | null
  /** Keys that the bundle marks as required and that the approver left out. */
  readonly missingRequired: readonly string[]
  /** Names of delivered values that are past their expiry. */
  readonly expired: readonly string[]
  /** Under which the server keeps the record of this delivery; null if it does not say. */
  readonly deliveryId: string | null
  /** The version of each delivered value that has versions. */
  readonly versions: readonly { readonly name: string; readonly version: number }[]
  /** Usernames of who approved, as the server signed it; empty if it signs nothing. */
  readonly approvers: readonly string[]
  /** How the approval returned, as the server signed it. */
  readonly releasedBy: 'loopback' | 'code' | null
  /** A bundle was requested, and the server does not say which one was approved. */
  readonly isUnchecked: boolean
}

/** What the server stored. `counts`: how many variables had each action of an import. */
export type Stored = {
  readonly bundle: string
  readonly workspace: string
  readonly approvedBy: string
  readonly counts: Readonly<Record<string, number>>
}

/** A list that arrived. */
type ListReceived = {
  /** The requested bundle, by name or id; null: bundles are listed. */
  readonly requested: string | null
  readonly bundle: { readonly id: string; readonly name: string } | null
  readonly workspace: string
  readonly count: number
  /** How many bundles are left out, because their rules do not allow the list. */
  readonly leftOut: number
}

export function deliveredOutcome(received: Received): Outcome {
  const { names, missing, bundle, workspace, missingRequired, expired, ...of } = received
  const { deliveryId, versions, approvers, releasedBy } = of
  return {
    event: {
      event: 'delivered',
      names,
      missing,
      bundle,
      workspace,
      missing_required: missingRequired,
      expired,
      delivery_id: deliveryId,
      versions,
      approvers,
      released_by: releasedBy,
    },
    text: deliveredText(received),
    notes: deliveryNotes(received),
  }
}

export function storedOutcome(stored: Stored): Outcome {
  const { bundle, workspace, counts, approvedBy } = stored
  const event = { event: 'stored', bundle, workspace, counts, approvers: [approvedBy] }
  return { event, text: storedText(stored), notes: [] }
}

export function listedOutcome(list: ListReceived): Outcome {
  const { bundle, workspace, count, leftOut } = list
  const event = { event: 'listed', bundle: bundle?.name ?? null, workspace, count, left_out: leftOut }
  return { event, text: listedText(list), notes: listNotes(list) }
}

/** What was delivered, in words: `by sam: 2 values from dev/app in workspace "Acme", returned through this terminal`. */
function deliveredText({ names, bundle, workspace, approvers, releasedBy }: Received): string {
  const by = approvers.length === 0 ? '' : ` by ${approvers.map((name) => printable(name, 80)).join(' and ')}`
  const from = bundle === null ? '' : ` from ${printable(bundle, 80)}`
  const values = `${names.length} ${names.length === 1 ? 'value' : 'values'}${from}${inWorkspace(workspace)}`
  return `approved${by}: ${values}${releasedBy === null ? '' : ', returned through this terminal'}`
}

const COUNTED = [
  ['create', 'new'],
  ['own', 'own'],
  ['share', 'shared'],
  ['update', 'updated'],
  ['replace', 'replaced'],
  ['same', 'same'],
  ['kept', 'kept'],
  ['detach', 'removed'],
] as const

/** What was stored, in words: `approved by sam: stored in dev/app in workspace "Acme": 12 new, 1 updated`. */
function storedText({ bundle, workspace, approvedBy, counts }: Stored): string {
  const parts = COUNTED.flatMap(([action, word]) => {
    const count = counts[action] ?? 0
    return count === 0 ? [] : [`${count} ${word}`]
  })
  const what = parts.length === 0 ? 'nothing to write' : parts.join(', ')
  return `approved by ${approvedBy}: stored in ${bundle}${inWorkspace(workspace)}: ${what}`
}

/** What is listed, in words: `approved: 3 names of dev/app in workspace "Acme"`. */
function listedText({ bundle, workspace, count }: ListReceived): string {
  const thing = `${bundle === null ? 'bundle' : 'name'}${count === 1 ? '' : 's'}`
  const of = bundle === null ? '' : ` of ${printable(bundle.name, 80)}`
  return `approved: ${count} ${thing}${of}${inWorkspace(workspace)}`
}

/** What else the person should know about a list, one line for each point. */
function listNotes({ requested, bundle, leftOut }: ListReceived): string[] {
  const isOther = bundle !== null && bundle.name !== requested && bundle.id !== requested?.toLowerCase()
  return [
    ...(isOther ? [`the approver chose ${printable(bundle.name, 80)}, but ${requested} was requested`] : []),
    ...(leftOut === 0
      ? []
      : [
          leftOut === 1
            ? '1 bundle is left out: its rules do not allow this list'
            : `${leftOut} bundles are left out: their rules do not allow this list`,
        ]),
  ]
}

/** What else the person should know, one line for each point. */
export function deliveryNotes({
  missing,
  missingRequired,
  expired,
  isUnchecked,
}: Pick<Received, 'missing' | 'missingRequired' | 'expired' | 'isUnchecked'>): string[] {
  return [
    ...(missing.length === 0 ? [] : [`optional and not delivered: ${missing.join(', ')}`]),
    ...(missingRequired.length === 0
      ? []
      : [`the bundle marks as required, but the approver left out: ${missingRequired.join(', ')}`]),
    ...(expired.length === 0 ? [] : [`expired, ask an owner to replace: ${expired.join(', ')}`]),
    ...(isUnchecked ? ['this server does not say which bundle was approved'] : []),
  ]
}
