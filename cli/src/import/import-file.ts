import { basename } from 'node:path'
import type { EnvText } from '@keyferry/contract/env'
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
  nextCommands,
} from './import-options.ts'
import { confirmNewBundle } from './new-bundle-question.ts'
import {
  type BundlePlan,
  changedText,
  type ImportPlan,
  importPlan,
  namesOf,
  planFacts,
  planNotes,
  planText,
  writesOf,
} from './plan.ts'
import { readText, requireNamed } from './read-text.ts'

/** Read the file and import its variables: see `importText`. @throws CliError */
export async function importFile(options: ImportOptions, parts: Parts): Promise<void> {
  const { own, share, replace } = options.choices
  const flagged = { ...options.flags, own, share, replace: replace === 'all' ? [] : replace }
  const text = await readText(options, parts)
  const also: { bundleName: string; text: EnvText }[] = []
  for (const { path, bundleName } of options.others ?? [])
    also.push({ bundleName, text: await readText({ ...options, path }, parts) })
  const source = also.length > 0 ? 'the files' : (options.path ?? 'standard input')
  requireNamed(flagged, [text, ...also.map((other) => other.text)], source)
  const isListed = also.length === 0 && basename(options.path ?? '') !== EXAMPLE_FILE
  const listed = !isListed ? [] : await exampleNames([parts.cwd])
  const names = text.entries.map(({ name }) => name)
  const differing = listed.length === 0 ? [] : differences(names, listed, 'in the import')
  const notes = [...text.notes, ...also.flatMap((other) => other.text.notes), ...differing]
  const others = also.map(({ bundleName, text: { entries } }) => ({ bundleName, entries }))
  await importText(options, { entries: text.entries, notes, detach: [], also: others }, parts)
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
  const plans = plansOf(plan, options, text)
  for (const { bundleId, bundleName } of plans)
    if (bundleId === null) await confirmNewBundle({ ...options, bundleName }, library)
  const asks = !options.isDryRun && mustAsk(plans, running)
  show(plans, text, { ...running, asks })
  if (options.isDryRun) {
    if (parts.view === 'person') parts.stderr.write('Nothing was changed: this is a dry run.\n')
    return []
  }
  requireConsent(plans, { ...running, asks })
  if (plans.some((each) => each.bundleId === null || writesOf(each).length > 0)) await carryOut(plan, running)
  report(plans, running)
  return namesOf(plan, 'kept')
}

type NamedPlan = BundlePlan & { readonly bundleName: string }

/** The plan of each bundle. */
function plansOf(
  { also: others, ...plan }: ImportPlan,
  { bundleName }: ImportTextOptions,
  { also = [] }: ImportedText,
): readonly NamedPlan[] {
  const named = also.map((each) => each.bundleName)
  return [
    { ...plan, bundleName },
    ...others.map((each, index) => ({ ...each, bundleName: named[index] ?? '' })),
  ]
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
  { entries, detach, seen, also = [] }: ImportedText,
): DepositDraft {
  const isSecret = (name: string): boolean | null =>
    flags.secret.includes(name) ? true : flags.public.includes(name) ? false : null
  const flagged = (from: ImportedText['entries']) =>
    from.map(({ name, value }) => ({ name, value, isSecret: isSecret(name) }))
  const others = also.map((other) => ({ bundle: other.bundleName, entries: flagged(other.entries) }))
  const content = { bundle, workspace, entries: flagged(entries), detach, ...choices, also: others }
  return { ...content, ...(seen ? { seen } : {}) }
}

function bodyOf({ workspace: _workspace, also, own, share, replace, ...content }: DepositDraft): object {
  const ofBundle = <B extends Pick<DepositDraft, 'entries'>>({ entries, ...more }: B) => {
    const within = (names: readonly string[]) =>
      also.length === 0 ? names : names.filter((name) => entries.some((entry) => entry.name === name))
    const flagged = entries.map(({ isSecret, ...entry }) =>
      isSecret === null ? entry : { ...entry, is_secret: isSecret },
    )
    const choices = { own: within(own), share: within(share) }
    return { ...more, entries: flagged, ...choices, replace: replace === 'all' ? replace : within(replace) }
  }
  return { ...ofBundle(content), ...(also.length === 0 ? {} : { also: also.map(ofBundle) }) }
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
  const others = content.also.map((each) => each.bundle)
  if (isPerson) parts.stderr.write(`Done. Next: ${nextCommands(options, others)}\n`)
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
  plans: readonly NamedPlan[],
  text: ImportedText,
  { options: { how }, parts, library, asks }: RunningImport & { asks: boolean },
): void {
  const { view, stderr } = parts
  const notes = [...text.notes, ...planNotes(stepsOf(plans))]
  for (const plan of plans)
    announce(parts, { event: 'planned', ...planFacts(plan, plan.bundleName), notes }, null)
  if (view === 'person' || (view === 'quiet' && asks)) {
    for (const plan of plans) stderr.write(planText(plan, { ...plan, how, ...library }))
    for (const note of notes) stderr.write(`  note: ${note}\n`)
  }
}

function stepsOf(plans: readonly NamedPlan[]): Pick<ImportPlan, 'plan'> {
  return { plan: plans.flatMap(({ plan }) => plan) }
}

// On a terminal every write is confirmed. Without one, new keys and shared keys need no confirmation, because programs
// still get all that they get today.
function mustAsk(plans: readonly NamedPlan[], { options, parts }: RunningImport): boolean {
  const plan = stepsOf(plans)
  if (options.mayUpdate || writesOf(plan).length === 0) return false
  return (parts.view === 'person' && canAsk(parts)) || risksOf(plan).length > 0
}

// What changes the values that programs get today, in words.
function risksOf(plan: Pick<ImportPlan, 'plan'>): string[] {
  const [updated, removed] = [namesOf(plan, 'update'), namesOf(plan, 'detach')]
  return [
    ...(updated.length > 0 ? [`update ${updated.join(', ')}`] : []),
    ...(removed.length > 0 ? [`remove ${removed.join(', ')}`] : []),
  ]
}

function requireConsent(
  plans: readonly NamedPlan[],
  { parts, asks, options }: RunningImport & { asks: boolean },
): void {
  if (!asks) return
  if (!canAsk(parts)) {
    throw generalError(
      `this would ${risksOf(stepsOf(plans)).join(' and ')}, and there is no terminal to ask`,
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

function report(plans: readonly NamedPlan[], { options, parts }: RunningImport): void {
  for (const plan of plans) announce(parts, { event: 'imported', ...planFacts(plan, plan.bundleName) }, null)
  if (parts.view !== 'person') return
  const plan = stepsOf(plans)
  const others = plans.slice(1).map((each) => each.bundleName)
  parts.stderr.write(`Done. Next: ${nextCommands(options, others)}\n`)
  const [changed, another] = [...namesOf(plan, 'update'), ...namesOf(plan, 'replace')]
  if (changed === undefined || another !== undefined || plans.length > 1) return
  parts.stderr.write(`Undo: keyferry restore ${changed} --bundle ${options.bundleName}\n`)
}
