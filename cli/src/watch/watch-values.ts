import { announce } from '../base/announce.ts'
import { CliError, EXIT } from '../base/cli-error.ts'
import type { Parts, ProgramStart, SupervisedProgram, Values } from '../base/parts.ts'
import { printable } from '../base/printable.ts'
import { PersonNeeded } from '../delivery/deliver.ts'
import type { ProgramWithValues } from '../delivery/run-option.ts'
import type { ValuesDelivery } from '../delivery/values-request.ts'
import { NO_OPEN } from '../terminal/browser.ts'
import { waitForChange } from './change-call.ts'

/*
 * Keeps a program on the current values: the client waits for a change, fetches the values again and restarts the
 * program. Changes that come together are one restart, and all programs that watch a value do not fetch at once. If
 * the values cannot be fetched, the program keeps what it has.
 */

// After a change, wait for others. Each client waits for another time.
const SETTLE_MS = { least: 1_000, most: 3_000 }
const BETWEEN_RESTARTS_MS = 5_000
const SOON_MS = 1_000
const PAUSE_MS = { first: 1_000, most: 60_000 }
const FETCH_PAUSE_MS = { first: 2_000, most: 300_000 }
// A restart of the server takes less, and is not worth a line.
const QUIET_FAILURES = 5

type Watching = Omit<ProgramWithValues, 'start'> & {
  readonly program: SupervisedProgram
  /** Fetch the values again, without asking a person.
   * @throws CliError denied: a person would have to approve · CliError */
  readonly fetch: () => Promise<ValuesDelivery>
}

/** Start a program, and watch its values until it ends.
 * @returns its exit code */
export async function runWatched(watched: ProgramWithValues, parts: Parts): Promise<number> {
  const { deliver } = await import('../delivery/deliver.ts')
  const program = await parts.superviseProgram(watched.start)
  const quieter: Parts = { ...parts, view: parts.view === 'json' ? 'json' : 'quiet' }
  const again = { ...watched.request, whyNotOpen: NO_OPEN }
  const fetch = async () => await deliver(again, quieter, { mayAsk: false })
  return await watchValues({ ...watched, program, fetch }, parts)
}

/** @returns the exit code of the program */
async function watchValues(watching: Watching, parts: Parts): Promise<number> {
  const { program } = watching
  // A failure here must not end the program.
  follow(watching, parts).catch((error: unknown) =>
    writeEnd(parts, error instanceof Error ? error.message : 'unexpected error'),
  )
  return await program.ended
}

async function follow(watching: Watching, parts: Parts): Promise<void> {
  const { clock } = parts
  let { delivered } = watching
  let nextMs = 0
  for (;;) {
    if (!(await isChanged(watching, delivered, parts))) return
    const settleMs = SETTLE_MS.least + Math.random() * (SETTLE_MS.most - SETTLE_MS.least)
    await clock.sleep(Math.max(settleMs, nextMs - clock.monotonicMs()))
    const fresh = await fetchPatiently(watching, parts)
    if (fresh === null) return
    const names = changedNames(watching.request, delivered.values, fresh.delivered.values)
    delivered = fresh.delivered
    if (names.length === 0) continue
    await restart({ watching, names, start: fresh.start }, parts)
    nextMs = clock.monotonicMs() + BETWEEN_RESTARTS_MS
  }
}

/** @returns false: it cannot be learned */
async function isChanged(
  { request }: Watching,
  { deliveryId }: ValuesDelivery,
  parts: Parts,
): Promise<boolean> {
  if (deliveryId === null) {
    writeEnd(parts, 'this server does not tell of changes')
    return false
  }
  for (let failures = 0, unknowns = 0, isKnown = false; ; ) {
    const startedMs = parts.clock.monotonicMs()
    const outcome = await waitForChange(request, deliveryId, parts)
    if (outcome.kind === 'changed') return true
    // The approval may be remembered a moment after its values arrive.
    unknowns = outcome.kind === 'unknown' ? unknowns + 1 : 0
    isKnown ||= outcome.kind === 'same'
    // The server may have deleted the delivery, which was old: a new one can be watched.
    if (outcome.kind === 'unknown' && isKnown) return true
    if (outcome.kind === 'unknown' && unknowns > 1) {
      writeEnd(parts, unknownText(outcome.reason))
      return false
    }
    failures = outcome.kind === 'same' ? 0 : failures + 1
    const isWorthALine = outcome.kind === 'refused' ? failures === 1 : failures === QUIET_FAILURES
    if ('reason' in outcome && isWorthALine) writeTrouble(parts, outcome.reason)
    const retryAfterMs = outcome.kind === 'later' ? outcome.retryAfterMs : null
    const pauseMs =
      failures === 0 ? startedMs + SOON_MS - parts.clock.monotonicMs() : pause(PAUSE_MS, failures)
    await parts.clock.sleep(Math.max(0, retryAfterMs ?? pauseMs))
  }
}

type Fresh = { readonly delivered: ValuesDelivery; readonly start: ProgramStart }

/** @returns null: a person would have to approve */
async function fetchPatiently({ fetch, startWith }: Watching, parts: Parts): Promise<Fresh | null> {
  let lastReason = ''
  for (let failures = 1; ; failures += 1) {
    try {
      const delivered = await fetch()
      return { delivered, start: await startWith(delivered) }
    } catch (error) {
      if (!(error instanceof CliError)) throw error
      if (error instanceof PersonNeeded) {
        writeEnd(parts, error.message)
        return null
      }
      if (error.message !== lastReason)
        writeTrouble(parts, `values changed, but cannot be fetched: ${error.message}`)
      lastReason = error.message
      await parts.clock.sleep(pause(FETCH_PAUSE_MS, failures))
    }
  }
}

function pause({ first, most }: { first: number; most: number }, failures: number): number {
  return Math.min(first * 2 ** (failures - 1), most) * (0.75 + Math.random() / 2)
}

// As the bundle delivers them.
function changedNames({ prefix }: Watching['request'], before: Values, now: Values): string[] {
  const names = [...new Set([...before.keys(), ...now.keys()])]
  return names.filter((name) => before.get(name) !== now.get(name)).map((name) => name.slice(prefix.length))
}

type Restart = {
  readonly watching: Watching
  readonly names: readonly string[]
  readonly start: ProgramStart
}

async function restart({ watching, names, start }: Restart, parts: Parts): Promise<void> {
  const text = `changed: ${printable(names.join(', '), 200)}; restarting the program`
  announce(parts, { event: 'changed', names }, parts.view === 'quiet' ? null : text)
  try {
    if ((await watching.program.restart(start)) === 'killed')
      announce(parts, { event: 'killed' }, `the program did not end within 10 s of SIGTERM, so it was killed`)
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    if (error.exitCode === EXIT.general) writeTrouble(parts, error.message)
    else writeStopped(parts, error.message)
  }
}

function writeStopped(parts: Parts, reason: string): void {
  const text = `${printable(reason)}; the program is not running, trying again when a value changes`
  announce(parts, { event: 'trouble', reason }, text)
}

function unknownText(reason: string): string {
  return `the server does not let this client watch them (${reason}). A person's approval has to be remembered: tick that on the page`
}

function writeEnd(parts: Parts, reason: string): void {
  const text = `values are not watched: ${printable(reason)}. The program keeps running with the values it has`
  announce(parts, { event: 'not_watched', reason }, text)
}

function writeTrouble(parts: Parts, reason: string): void {
  const text = `${printable(reason)}; the program keeps the values it has, trying again`
  announce(parts, { event: 'trouble', reason }, text)
}
