import { CliError } from '../ground/cli-error.ts'
import type { LibraryClient } from './library.ts'
import type { ImportPlan, Step } from './plan.ts'

// What still reads as a sentence.
const MOST_NAMED = 10

/** What has been done so far, for the report when something stops it half way. */
export type Progress = { readonly done: string[]; readonly left: string[] }

export function progressOf({ bundleName, bundleId, steps }: ImportPlan): Progress {
  const bundle = bundleId === null ? [`bundle ${bundleName}`] : []
  return { done: [], left: [...bundle, ...steps.filter(hasWork).map(({ name }) => name)] }
}

function hasWork({ kind, attaches }: Step): boolean {
  return kind !== 'same' || attaches
}

/** Carry the plan out, one call after another, keeping `progress`. Doing it again after a failure does the rest.
 * @throws CliError with what was done and what was not */
export async function applyImport(
  client: LibraryClient,
  plan: ImportPlan,
  progress: Progress,
): Promise<void> {
  try {
    const bundleId = plan.bundleId ?? (await client.createBundle(plan.bundleName))
    if (plan.bundleId === null) tick(progress)
    for (const step of plan.steps.filter(hasWork)) {
      await applyStep(client, step, bundleId)
      tick(progress)
    }
  } catch (error) {
    throw error instanceof CliError ? halfWay(error, progress) : error
  }
}

async function applyStep(client: LibraryClient, step: Step, bundleId: string): Promise<void> {
  const keyId = await writeKey(client, step)
  if (step.attaches) await client.attach(bundleId, keyId)
}

async function writeKey(
  client: LibraryClient,
  { kind, name, value, isSecret, keyId }: Step,
): Promise<string> {
  const change = { name, value, is_secret: isSecret }
  if (keyId === null) return await client.createKey(change)
  if (kind !== 'same') await client.updateKey(keyId, change)
  return keyId
}

function tick({ done, left }: Progress): void {
  const next = left.shift()
  if (next !== undefined) done.push(next)
}

function halfWay(error: CliError, progress: Progress): CliError {
  return new CliError(
    error.exitCode,
    `${error.message}\n  ${progressText(progress, 'Failed')}`,
    `${error.next} The same command does the rest.`,
    {
      cause: error,
    },
  )
}

/** `Done: A, B. Under way: C. Not done: D.`
 * @param current what to call the one that is neither done nor ahead */
export function progressText({ done, left: [now, ...left] }: Progress, current: string): string {
  const atWork = now === undefined ? '' : ` ${current}: ${now}.`
  return `Done: ${list(done)}.${atWork} Not done: ${list(left)}.`
}

function list(names: readonly string[]): string {
  if (names.length === 0) return 'nothing'
  if (names.length <= MOST_NAMED) return names.join(', ')
  return `${names.slice(0, MOST_NAMED).join(', ')} and ${names.length - MOST_NAMED} more`
}
