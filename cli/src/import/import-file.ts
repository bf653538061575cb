import type { Dialect, EnvText } from '@keyferry/contract/env'
import { CliError } from '../ground/cli-error.ts'
import type { Exchange } from '../ground/exchange.ts'
import { EXIT } from '../ground/exit-code.ts'
import type { Parts, ViewName } from '../ground/parts.ts'
import { patientExchange, rateLimitNotice } from '../server/rate-limit.ts'
import { applyImport, type Progress, progressOf, progressText } from './apply.ts'
import { LibraryClient } from './library.ts'
import { type ImportPlan, overwrites, planImport, type SecretFlags } from './plan.ts'
import { planFacts, planText } from './plan-text.ts'
import { readText } from './read-text.ts'

export type ImportOptions = {
  readonly server: string
  /** Whether the next command finds that server only by its flag. */
  readonly isServerNamed: boolean
  /** Null: standard input. */
  readonly path: string | null
  readonly dialect: Dialect
  /** The workspace that the calls work in; null: the server chooses. */
  readonly workspaceId: string | null
  readonly bundleName: string
  readonly flags: SecretFlags
  readonly mayOverwrite: boolean
  readonly view: ViewName
}

/** Read the file, show what would change, ask, and do it.
 * @returns the exit code · @throws CliError */
export async function importFile(options: ImportOptions, parts: Parts): Promise<number> {
  const text = await readText(options, parts)
  const client = new LibraryClient(libraryExchange(options, parts), options.server)
  const library = await client.read(options.bundleName)
  const plan = planImport(options.bundleName, text.entries, { library, flags: options.flags })
  show(plan, text, { options, parts })
  requireConsent(plan, { options, parts })
  await carryOut(plan, client, { options, parts })
  return EXIT.ok
}

// Waits where the server limits the rate, and names the workspace if its id is known.
function libraryExchange({ view, workspaceId }: ImportOptions, parts: Parts): Exchange {
  const exchange = patientExchange(parts, (waitMs) => parts.stderr.write(rateLimitNotice(view, waitMs)))
  const workspace: Record<string, string> = workspaceId === null ? {} : { 'keyferry-workspace': workspaceId }
  return async (request) => await exchange({ ...request, headers: { ...request.headers, ...workspace } })
}

type Scene = { options: ImportOptions; parts: Parts }

function show(plan: ImportPlan, text: EnvText, { options, parts }: Scene): void {
  const { stderr } = parts
  const mustAsk = overwrites(plan).length > 0 && !options.mayOverwrite
  if (options.view === 'json')
    stderr.write(`${JSON.stringify({ event: 'planned', ...planFacts(plan), notes: text.notes })}\n`)
  if (options.view === 'person' || (options.view === 'quiet' && mustAsk)) {
    stderr.write(planText(plan, options.server))
    for (const note of text.notes) stderr.write(`  note: ${note}\n`)
  }
}

function requireConsent(plan: ImportPlan, { options, parts }: Scene): void {
  const names = overwrites(plan).map(({ name }) => name)
  if (names.length === 0 || options.mayOverwrite) return
  const { keyboard, stderr } = parts
  if (options.view === 'json' || !stderr.isTerminal || !keyboard.isThere()) {
    throw new CliError(
      EXIT.general,
      `this would overwrite ${names.join(', ')}, and there is nobody to ask`,
      'Nothing was imported. Add --yes if that is meant.',
    )
  }
  const answer = keyboard.ask(`Overwrite ${names.join(', ')}? [y/N] `) ?? ''
  if (/^y(?:es)?$/i.test(answer.trim())) return
  throw new CliError(EXIT.general, 'not confirmed', 'Nothing was imported.')
}

async function carryOut(plan: ImportPlan, client: LibraryClient, { options, parts }: Scene): Promise<void> {
  const { stderr } = parts
  const progress = progressOf(plan)
  const takeBack = parts.atInterrupt(() => stderr.write(interruptedText(progress, plan, options)))
  try {
    await applyImport(client, plan, progress)
  } finally {
    takeBack()
  }
  if (options.view === 'json')
    stderr.write(`${JSON.stringify({ event: 'imported', bundle: plan.bundleName })}\n`)
  if (options.view === 'person') stderr.write(`Done. Next: ${nextCommand(options)}\n`)
}

// The call that is on its way may still arrive. What is done is overwritten by the same values when it is done again,
// which nobody but the server can know to be the same where they are secret.
function interruptedText(progress: Progress, { bundleName }: ImportPlan, options: ImportOptions): string {
  const { done, left } = progress
  if (options.view === 'json')
    return `${JSON.stringify({ event: 'partly_imported', bundle: bundleName, done, left })}\n`
  const asks = options.mayOverwrite ? '' : ', and asks before it overwrites what is done'
  return `\n  ${progressText(progress, 'Under way')}\n  The same command does the rest${asks}.\n`
}

function nextCommand({ bundleName, isServerNamed, server }: ImportOptions): string {
  return `keyferry run ${bundleName}${isServerNamed ? ` --server ${server}` : ''} -- PROGRAM`
}
