import { WEBHOOK_TIMES } from '@keyferry/contract/webhooks'
import { merged } from './webhook-body.ts'
import type { MessageDraft } from './webhook-message.ts'

/*
 * Which messages a webhook gets, and for how long. A webhook gets nothing that happened before it was made.
 */

/** What an active webhook wants. An empty set means everything, and a webhook that names nothing has empty sets. */
export type Subscription = {
  madeAt: string
  events: ReadonlySet<string>
  bundleIds: ReadonlySet<string>
}

/** The messages for one webhook. Drafts that change the same thing become one message. */
export function messagesFor(
  subscription: Subscription,
  drafts: readonly MessageDraft[],
): readonly MessageDraft[] {
  const byKey = new Map<string, MessageDraft>()
  for (const [index, draft] of drafts.filter((each) => wants(subscription, each)).entries()) {
    const name = draft.mergeKey ?? `${index}`
    const known = byKey.get(name)
    byKey.set(name, known ? { ...draft, data: merged(known.data, draft.data) } : draft)
  }
  return [...byKey.values()]
}

function wants({ madeAt, events, bundleIds }: Subscription, draft: MessageDraft): boolean {
  if (draft.at < madeAt) return false
  if (events.size > 0 && !events.has(draft.type)) return false
  return draft.bundleIds === null || bundleIds.size === 0 || draft.bundleIds.some((id) => bundleIds.has(id))
}

/** When the server gives up a new message. */
export function giveUpAt(now: string): string {
  return new Date(Date.parse(now) + WEBHOOK_TIMES.triedSeconds * 1_000).toISOString()
}
