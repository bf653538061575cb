import { basename } from 'node:path'
import { announce, isYes } from '../base/announce.ts'
import { generalError, usageError } from '../base/cli-error.ts'
import type { ExchangeAnswer } from '../base/exchange.ts'
import type { Parts } from '../base/parts.ts'
import { printable } from '../base/printable.ts'
import { canAsk, requireAskable } from '../delivery/confirm-workspace.ts'
import type { DepositDraft } from '../deposit/deposit-body.ts'
import { differences, EXAMPLE_FILE, exampleNames } from '../project/example-names.ts'
import { expectedWorkspace } from '../project/workspace-pins.ts'
import { callLibrary, type Library, openLibrary } from '../server/library-call.ts'
import { isOwnLibrary, noReceiptHere } from '../server/server-facts.ts'
import { errorBody } from '../server/server-failure.ts'
import {
  type ImportedText,
  type ImportOptions,
  type ImportTextOptions,
  nextCommand,
} from './import-options.ts'
import { confirmNewBundle } from './new-bundle-question.ts'
import {
  changedText,
  type ImportPlan,
  importPlan,
  namesOf,
  planFacts,
  planNotes,
  planText,
  writesOf,
} from './plan.ts'
import { readText } from './read-text.ts'

/** Read the file and import its variables: see `importText`. @throws CliError */
export async function importFile(options: ImportOptions, parts: Parts): Promise<void> {
  const { own, share, replace } = options.choices
  const flagged = { ...options.flags, own, share, replace: replace === 'all' ? [] : replace }
  const text = await readText({ ...options, flagged }, parts)
  const listed = basename(options.path ?? '') === EXAMPLE_FILE ? [] : await exampleNames([parts.cwd])
  const names = text.entries.map(({ name }) => name)
  const differing = listed.length === 0 ? [] : differences(names, listed, 'in the import')
  await importText(options, { ...text, notes: [...text.notes, ...differing], detach: [] }, parts)
}

/** Have the server plan, show the plan, ask, and have the server carry it out. Where people sign in, a person sees the
 * plan on the approval page and decides.
 * @returns names whose values in the text were not stored · @throws CliError */
export async function importText(
  options: ImportTextOptions,
  text: ImportedText,
  parts: Parts,
): Promise<readonly string[]> {
  const content = contentOf(options, text)
  if (!(await isOwnLibrary(options.server, parts))) {
    return await importWithApproval(options, { content, notes: text.notes }, parts)
  }
  if (options.receiptFile !== null) throw noReceiptHere()
  const library = await openLibrary(options, parts)
  const { plan, ...running } = await settled(content, { options, parts, library })
  if (plan.bundleId === null) await confirmNewBundle(options, library)
  const asks = !options.isDryRun && mustAsk(plan, running)
  show(plan, text, { ...running, asks })
  if (options.isDryRun) {
    if (parts.view === 'person') parts.stderr.write('Nothing was changed: this is a dry run.\n')
    return []
  }
  requireConsent(plan, { ...running, asks })
  if (plan.bundleId === null || writesOf(plan).length > 0) await carryOut(plan, running)
  report(plan, running)
  return namesOf(plan, 'kept')
}

/** Plan, and ask about each value that changed after the person read it. */
async function settled(content: DepositDraft, running: Omit<RunningImport, 'body'>) {
  const asked = { ...running, body: bodyOf(content) }
  const plan = await send(asked, { dry_run: true })
  const own = takenOver(plan, running.parts)
  if (own.length === 0) return { ...asked, plan }
  const again = { ...running, body: bodyOf({ ...content, own: [...content.own, ...own] }) }
  return { ...again, plan: await send(again, { dry_run: true }) }
}

function takenOver({ plan }: ImportPlan, parts: Parts): readonly string[] {
  if (!canAsk(parts)) return []
  return plan.flatMap(({ name, action, changed }) => {
    if (action !== 'kept' || changed === null) return []
    parts.stderr.write(`keyferry: ${name} was ${changedText(changed)}\n`)
    return isYes(parts.keyboard, `Store your value of ${name} instead? [y/N] `) ? [name] : []
  })
}

/** Fail before the edit if the client will have to ask and has no terminal, so that no edit is lost. In local mode it
 * asks about the changes, elsewhere about the workspace.
 * @throws CliError general, usage, network */
export async function requireQuestions(options: ImportTextOptions, parts: Parts): Promise<void> {
  const { server, folder, workspace: text, isWorkspaceFlag: isFlag } = options
  if (canAsk(parts)) return
  if (!(await isOwnLibrary(server, parts)))
    return requireAskable(expectedWorkspace({ text, isFlag, place: { server, folder } }, parts), parts)
  throw generalError(
    'there is no terminal on which edit can ask before it stores',
    'Use keyferry set and keyferry unset instead.',
  )
}

type RunningImport = { options: ImportTextOptions; parts: Parts; library: Library; body: object }

function contentOf(
  { bundleName: bundle, workspace, flags, choices }: ImportTextOptions,
  { entries, detach, seen }: ImportedText,
): DepositDraft {
  const isSecret = (name: string): boolean | null =>
    flags.secret.includes(name) ? true : flags.public.includes(name) ? false : null
  const flagged = entries.map(({ name, value }) => ({ name, value, isSecret: isSecret(name) }))
  return { bundle, workspace, entries: flagged, detach, ...choices, ...(seen ? { seen } : {}) }
}

function bodyOf({ workspace: _workspace, entries, ...content }: DepositDraft): object {
  const flagged = entries.map(({ isSecret, ...entry }) =>
    isSecret === null ? entry : { ...entry, is_secret: isSecret },
  )
  return { ...content, entries: flagged }
}

// Where people sign in, a person sees the plan on the approval page and decides.
async function importWithApproval(
  options: ImportTextOptions,
  { content, notes }: { content: DepositDraft; notes: readonly string[] },
  parts: Parts,
): Promise<readonly string[]> {
  if (options.isDryRun) {
    throw usageError(
      '--dry-run needs a server without a sign-in',
      'Leave it out: the approver sees the plan before anything is stored.',
    )
  }
  const { storeWithApproval } = await import('../deposit/store-with-approval.ts')
  const isPerson = parts.view === 'person'
  if (isPerson) for (const note of notes) parts.stderr.write(`  note: ${note}\n`)
  const end = await storeWithApproval({ ...options, content }, parts)
  if (end === 'proposed') return []
  if (isPerson) parts.stderr.write(`Done. Next: ${nextCommand(options)}\n`)
  return end.variables.flatMap(({ name, action }) => (action === 'kept' ? [name] : []))
}

async function send({ library, body }: RunningImport, how: object): Promise<ImportPlan> {
  const call = { name: 'importVariables', body: { ...body, ...how }, shape: importPlan, explain } as const
  return await callLibrary(library, call)
}

function explain(answer: ExchangeAnswer): Error | undefined {
  const { code, error } = errorBody(answer)
  if (code === 'plan_changed') {
    const what = 'the library changed after the plan was shown'
    return generalError(what, 'Nothing was imported. Run the same command again.')
  }
  if (answer.status !== 400 && answer.status !== 409) return undefined
  return generalError(printable(error), 'Nothing was imported.')
}

function show(
  plan: ImportPlan,
  text: ImportedText,
  { options, parts, library, asks }: RunningImport & { asks: boolean },
): void {
  const { view, stderr } = parts
  const { bundleName, how } = options
  const notes = [...text.notes, ...planNotes(plan)]
  announce(parts, { event: 'planned', ...planFacts(plan, bundleName), notes }, null)
  if (view === 'person' || (view === 'quiet' && asks)) {
    stderr.write(planText(plan, { bundleName, how, ...library }))
    for (const note of notes) stderr.write(`  note: ${note}\n`)
  }
}

// On a terminal every write is confirmed. Without one, new keys and shared keys need no confirmation, because programs
// still get all that they get today.
function mustAsk(plan: ImportPlan, { options, parts }: RunningImport): boolean {
  if (options.mayUpdate || writesOf(plan).length === 0) return false
  return (parts.view === 'person' && canAsk(parts)) || risksOf(plan).length > 0
}

// What changes the values that programs get today, in words.
function risksOf(plan: ImportPlan): string[] {
  const [updated, removed] = [namesOf(plan, 'update'), namesOf(plan, 'detach')]
  return [
    ...(updated.length > 0 ? [`update ${updated.join(', ')}`] : []),
    ...(removed.length > 0 ? [`remove ${removed.join(', ')}`] : []),
  ]
}

function requireConsent(plan: ImportPlan, { parts, asks, options }: RunningImport & { asks: boolean }): void {
  if (!asks) return
  if (!canAsk(parts)) {
    throw generalError(
      `this would ${risksOf(plan).join(' and ')}, and there is no terminal to ask`,
      'Nothing was imported. Add --yes to do it.',
    )
  }
  const isImport = options.how === 'import'
  if (isYes(parts.keyboard, isImport ? 'Import? [y/N] ' : 'Store? [y/N] ')) return
  throw generalError('not confirmed', isImport ? 'Nothing was imported.' : 'Nothing was stored.')
}

async function carryOut(plan: ImportPlan, running: RunningImport): Promise<void> {
  const { parts, options } = running
  const takeBack = parts.atInterrupt(() => parts.stderr.write(interruptedText(options, parts)))
  try {
    await send(running, { plan_id: plan.planId })
  } finally {
    takeBack()
  }
}

function interruptedText({ bundleName }: ImportTextOptions, { view }: Parts): string {
  if (view === 'json') return `${JSON.stringify({ event: 'interrupted', bundle: bundleName })}\n`
  return '\n  The server imports all of the file or nothing. Run the same command again to see which.\n'
}

function report(plan: ImportPlan, { options, parts }: RunningImport): void {
  announce(parts, { event: 'imported', ...planFacts(plan, options.bundleName) }, null)
  if (parts.view !== 'person') return
  parts.stderr.write(`Done. Next: ${nextCommand(options)}\n`)
  const [changed, another] = [...namesOf(plan, 'update'), ...namesOf(plan, 'replace')]
  if (changed === undefined || another !== undefined) return
  parts.stderr.write(`Undo: keyferry restore ${changed} --bundle ${options.bundleName}\n`)
}
