import { WEBHOOK_LIMITS } from '@keyferry/contract/webhooks'

/*
 * The text of a message, and how the changes of the same thing that one append adds become one message.
 */

/** A key by the name under which the bundle delivers it. `version`: of a new value, where one is known. */
export type ChangedKey = {
  name: string
  change: 'value' | 'attached' | 'detached' | 'renamed' | 'imported'
  version: number | null
}

/** `seq`: the newest entry of the audit log that the message tells of. */
export type MessageData = Readonly<Record<string, unknown>> & {
  seq: number
  keys?: readonly ChangedKey[]
  /** There are more changed keys than the message names. */
  keys_truncated?: boolean
  count?: number
}

type MessageText = { type: string; at: string; data: MessageData }

export function messageBody({ type, at, data }: MessageText): string {
  return JSON.stringify({ type, timestamp: at, data: withinBound(data) })
}

/** What is newer counts; changed keys and counts add up. */
export function merged(older: MessageData, newer: MessageData): MessageData {
  const keys = older.keys && newer.keys ? { keys: mergedKeys(older.keys, newer.keys) } : {}
  const keys_truncated = older.keys_truncated === true ? { keys_truncated: true } : {}
  const count =
    older.count !== undefined && newer.count !== undefined ? { count: older.count + newer.count } : {}
  return { ...newer, ...keys, ...keys_truncated, ...count }
}

function mergedKeys(older: readonly ChangedKey[], newer: readonly ChangedKey[]): ChangedKey[] {
  const byName = new Map(older.map((key) => [key.name, key]))
  for (const key of newer) {
    const known = byName.get(key.name)
    byName.delete(key.name)
    byName.set(key.name, { ...key, version: key.version ?? known?.version ?? null })
  }
  return [...byName.values()]
}

function withinBound(data: MessageData): MessageData {
  const { keys } = data
  if (keys === undefined || keys.length <= WEBHOOK_LIMITS.keys) return data
  return { ...data, keys: keys.slice(-WEBHOOK_LIMITS.keys), keys_truncated: true }
}
