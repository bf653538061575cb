import { repeating } from '@keyferry/plumbing/repeating'
import type { Logger } from 'pino'
import type { Database } from './storage/base/queries.ts'

const READ_EVERY_MS = 10_000

// A reading that took longer than this says too little about when it was taken.
const READ_WITHIN_MS = 500

/** The time by which requests, approvals and signatures end: PostgreSQL's, so that nodes whose clocks differ agree.
 * The steady clock of this machine carries a reading on until the next one. SQLite serves one machine, whose time
 * counts.
 * @param now a clock that replaces both, in tests */
export async function sharedTime(
  opened: AsyncDisposableStack,
  { database: { readTime }, log }: { database: Pick<Database, 'readTime'>; log: Pick<Logger, 'warn'> },
  now?: () => Date,
): Promise<() => Date> {
  if (now !== undefined || readTime === null) return now ?? (() => new Date())
  let { startMs } = await reading(readTime)
  const failed = (error: unknown) =>
    log.warn({ error: error instanceof Error ? error.name : 'unknown' }, 'database clock')
  const readAgain = async () => {
    const next = await reading(readTime)
    if (next.tookMs <= READ_WITHIN_MS) startMs = next.startMs
  }
  opened.adopt(repeating(READ_EVERY_MS, readAgain, failed), (it) => it.stop())
  return () => new Date(startMs + performance.now())
}

// `startMs`: what the database's clock showed when the steady clock of this process began.
async function reading(readTime: () => Promise<number>): Promise<{ startMs: number; tookMs: number }> {
  const before = performance.now()
  const ms = await readTime()
  const after = performance.now()
  return { startMs: ms - (before + after) / 2, tookMs: after - before }
}
