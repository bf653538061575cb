import { LIMITS, TIMES } from '@keyferry/contract'
import { z } from 'zod'

/*
 * The text of a message, and how a message that waits takes up another change of the same thing. It is sent 5 s after
 * the last change and at most 30 s after the first, so a thousand changes make few calls and the last one is always
 * told.
 */

const CHANGES = ['value', 'attached', 'detached', 'renamed', 'imported'] as const

const ChangedKey = z.object({
  name: z.string(),
  change: z.enum(CHANGES),
  version: z.int().nullable(),
})

/** A key by the name under which the bundle delivers it. `version`: of a new value, where one is known. */
export type ChangedKey = z.output<typeof ChangedKey>

const MessageData = z.looseObject({
  seq: z.int(),
  keys: z.array(ChangedKey).readonly().optional(),
  /** There are more changed keys than the message names. */
  keys_truncated: z.boolean().optional(),
  count: z.int().optional(),
})

/** `seq`: the newest entry of the audit log that the message tells of. */
export type MessageData = z.output<typeof MessageData>

const MessageBody = z.object({ type: z.string(), timestamp: z.string(), data: MessageData })

type Told = { type: string; at: string; data: MessageData }

export function messageBody({ type, at, data }: Told): string {
  return JSON.stringify({ type, timestamp: at, data: withinBound(data) })
}

/** A message that waits, with a newer change of the same thing. */
export function extendedBody(body: string, newer: Told): string {
  const { data } = MessageBody.parse(JSON.parse(body))
  return messageBody({ ...newer, data: merged(data, newer.data) })
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
  if (keys === undefined || keys.length <= LIMITS.webhookKeys) return data
  return { ...data, keys: keys.slice(-LIMITS.webhookKeys), keys_truncated: true }
}

/** When a message that coalesces is sent.
 * @param firstAt of the first change
 * @param lastAt of the last one */
export function sentAfterQuiet(firstAt: string, lastAt: string): string {
  const quiet = Date.parse(lastAt) + TIMES.webhookQuietSeconds * 1_000
  const longest = Date.parse(firstAt) + TIMES.webhookLongestQuietSeconds * 1_000
  return new Date(Math.min(quiet, longest)).toISOString()
}
