import type { Values } from '../base/parts.ts'
import { printable } from '../base/printable.ts'
import { differences } from '../project/example-names.ts'
import type { Receipt } from '../receipt/receipt.ts'
import type { Delivery } from '../server/wait-answer.ts'
import { inWorkspace, timeOfDay, type WaitingOutcome } from '../terminal/waiting-view.ts'
import type { ValuesRequest } from './values-request.ts'

/** What arrived. `receipt` is null if the server signs none. Contains no value. */
type Received = {
  readonly names: readonly string[]
  readonly delivery: Delivery
  readonly receipt: Receipt | null
}

type RequestWish = Pick<ValuesRequest, 'bundle' | 'keys' | 'acceptsAnyBundle' | 'expected' | 'own'>

export function deliveredOutcome(
  { names, delivery, receipt }: Received,
  request: RequestWish,
): WaitingOutcome {
  const { bundle, workspace, missingRequired, expired, deliveryId, versions } = delivery
  const isUnchecked = bundle === null && request.bundle !== null && !request.acceptsAnyBundle
  return {
    event: {
      event: 'delivered',
      names,
      missing: missingOf(names, request),
      bundle: bundle?.name ?? null,
      workspace: workspace?.name ?? null,
      missing_required: missingRequired,
      expired,
      delivery_id: deliveryId,
      versions,
      approvers: receipt?.approvers ?? [],
      released_by: receipt?.releasedBy ?? null,
      ...(delivery.taskUntil === null ? {} : { task_until: new Date(delivery.taskUntil).toISOString() }),
      ...(request.own?.size ? { own: [...request.own.keys()] } : {}),
    },
    text: `${deliveredText({ names, delivery, receipt })}${ownText(request.own)}`,
    bundle: bundle === null ? null : printable(bundle.name, 80),
    notes: [
      ...deliveryNotes(names, delivery, request),
      ...(isUnchecked ? ['this server does not say which bundle was approved'] : []),
    ],
  }
}

// Requested, optional and not delivered.
function missingOf(names: readonly string[], { keys }: RequestWish): readonly string[] {
  return keys.filter((name) => !names.includes(name))
}

/** What was delivered, in words: `2 values from dev/app in workspace "Acme", approved by sam`. */
function deliveredText({ names, delivery, receipt }: Received): string {
  const { bundle, workspace, taskUntil } = delivery
  const approvers = receipt?.approvers ?? []
  const by = approvers.length === 0 ? '' : ` by ${approvers.map((name) => printable(name, 80)).join(' and ')}`
  const from = bundle === null ? '' : ` from ${printable(bundle.name, 80)}`
  const place = inWorkspace(workspace?.name ?? null)
  const task = taskUntil === null ? '' : ` as a task: any command here until ${timeOfDay(taskUntil)}`
  return `${names.length} ${names.length === 1 ? 'value' : 'values'}${from}${place}, approved${by}${task}`
}

function ownText(own: Values = new Map()): string {
  return own.size === 0 ? '' : `; ${own.size} of your own: ${[...own.keys()].join(', ')}`
}

/** What else the person should know, one line for each point. */
export function deliveryNotes(
  names: readonly string[],
  { missingRequired, expired }: Delivery,
  request: RequestWish,
): string[] {
  const missing = missingOf(names, request)
  const { expected = [], own = new Map() } = request
  return [
    ...(expected.length === 0 ? [] : differences([...names, ...own.keys()], expected, 'delivered')),
    ...(missing.length === 0 ? [] : [`optional and not delivered: ${missing.join(', ')}`]),
    ...(missingRequired.length === 0
      ? []
      : [`the bundle marks as required, but the approver left out: ${missingRequired.join(', ')}`]),
    ...(expired.length === 0 ? [] : [`expired, ask an owner to replace: ${expired.join(', ')}`]),
  ]
}
