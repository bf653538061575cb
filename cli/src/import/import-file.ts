import { basename } from 'node:path'
import type { EnvText } from '@keyferry/contract/env'
import { groupBy } from '@keyferry/contract/group-by'
import { announce, isYes } from '../base/announce.ts'
import { generalError, usageError } from '../base/cli-error.ts'
import type { ExchangeAnswer } from '../base/exchange.ts'
import { namesOf, shortList } from '../base/import-actions.ts'
import type { Parts } from '../base/parts.ts'
import { printable } from '../base/printable.ts'
import { canAsk, requireAskable } from '../delivery/confirm-workspace.ts'
import type { DepositDraft } from '../deposit/deposit-body.ts'
import { differences, EXAMPLE_FILE, exampleNames } from '../project/example-names.ts'
import { expectedWorkspace } from '../project/workspace-pins.ts'
import { callLibrary, type Library, openLibrary } from '../server/library-call.ts'
import { isOwnLibrary } from '../server/server-facts.ts'
import { errorBody } from '../server/server-failure.ts'
import {
  type ImportedText,
  type ImportOptions,
  type ImportTextOptions,
  type ImportVerb,
  nextCommands,
  WORDS,
} from './import-options.ts'
import { confirmNewBundle } from './new-bundle-question.ts'
import {
  changedText,
  type ImportPlan,
  importPlan,
  type NamedPlan,
  type PlanStep,
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

/** Store values, and remove names. In local mode, the server plans, the client shows the plan and asks, and the server
 * carries out that plan. Where people sign in, a person sees the plan on the approval page and decides.
 * @returns names whose values in the text were not stored · @throws CliError */
export async function importText(
  options: ImportTextOptions,
  text: ImportedText,
  parts: Parts,
): Promise<readonly string[]> {
  const content = contentOf(options, text)
  const isOwn = await isOwnLibrary(options.server, parts)
  const stored = await (isOwn ? storeHere : storeElsewhere)({ options, content, notes: text.notes, parts })
  if (stored === null) return []
  const bundles = [content, ...content.also].map(({ bundle }) => bundle)
  if (parts.view === 'person') {
    parts.stderr.write(`Done. Next: ${nextCommands(options, bundles)}\n`)
    const [changed, another] = [...namesOf(stored, 'update'), ...namesOf(stored, 'replace')]
    if (isOwn && changed !== undefined && another === undefined && bundles.length === 1)
      parts.stderr.write(`Undo: keyferry restore ${changed} --bundle ${content.bundle}\n`)
  }
  return namesOf(stored, 'kept')
}

/** A shorter value can be the same by chance. */
const SECRET_LETTERS = 8

type StoreCall = {
  readonly options: ImportTextOptions
  readonly content: DepositDraft
  readonly notes: readonly string[]
  readonly parts: Parts
}

/** What happened to each name; null: nothing was stored. */
type StoredSteps = readonly { readonly name: string; readonly action: string }[] | null

async function storeHere({ options, notes, parts, ...given }: StoreCall): Promise<StoredSteps> {
  if (options.receiptFile !== null)
    throw usageError(
      '--receipt needs a server where people sign in',
      'Omit --receipt: without an approval there is no receipt.',
    )
  const library = await openLibrary(options, parts)
  const { content, plan } = await settled(given.content, { library, how: options.how })
  const plans = plansOf(plan, content)
  for (const { bundleId, bundleName } of plans)
    if (bundleId === null) await confirmNewBundle({ ...options, bundleName }, library)
  const steps = plans.flatMap((each) => each.plan)
  const asks = !options.isDryRun && mustAsk(steps, { options, parts })
  show(plans, {
    notes: [...notes, ...planNotes(steps), ...repeatedNotes(content, steps)],
    how: options.how,
    library,
    asks,
  })
  if (options.isDryRun) {
    if (parts.view === 'person') parts.stderr.write('Nothing was changed: this is a dry run.\n')
    return null
  }
  if (asks) requireConsent(steps, { options, parts })
  if (plans.some(({ bundleId }) => bundleId === null) || writesOf(steps).length > 0) {
    const { formerIn } = await carryOut(plan, { content, library, how: options.how })
    const former = formerIn.map(({ name, bundle }) => (bundle === null ? name : `${name} in ${bundle}`))
    if (former.length > 0 && parts.view === 'person')
      parts.stderr.write(`  note: the old value is still in use: ${shortList(former)}\n`)
  }
  for (const each of plans) announce(parts, { event: 'imported', ...planFacts(each) }, null)
  for (const name of namesOf(steps, 'detach'))
    announce(parts, { event: 'removed', name, bundle: content.bundle }, null)
  return steps
}

// A service of its own shares nothing unless the person says so.
function repeatedNotes({ entries, also }: DepositDraft, steps: readonly PlanStep[]): string[] {
  const own = steps.filter(({ action, isSecret }) => action === 'own' && isSecret).map(({ name }) => name)
  const all = [entries, ...also.map((other) => other.entries)].flat()
  const secrets = all.filter(({ name, value }) => own.includes(name) && value.length >= SECRET_LETTERS)
  const groups = [...groupBy(secrets, ({ name, value }) => `${name}=${value}`).values()]
  const names = groups.flatMap(([first, another]) => (first && another ? first.name : [])).join(',')
  if (names === '') return []
  return [`several files have the same value of ${names}; use --share ${names} to store it once`]
}

/** The plan of each bundle. */
function plansOf({ also, ...plan }: ImportPlan, content: DepositDraft): readonly NamedPlan[] {
  const others = also.map((each, index) => ({ ...each, bundleName: content.also[index]?.bundle ?? '' }))
  return [{ ...plan, bundleName: content.bundle }, ...others]
}

type PlanCall = { readonly library: Library; readonly how: ImportVerb }

/** Plan, and ask about each value that changed after the person read it. */
async function settled(given: DepositDraft, call: PlanCall) {
  const plan = await send(given, { dry_run: true }, call)
  const own = takenOver(plan, call.library.parts)
  if (own.length === 0) return { content: given, plan }
  const content = { ...given, own: [...given.own, ...own] }
  return { content, plan: await send(content, { dry_run: true }, call) }
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
    const flagged = entries.map(({ isSecret, ...entry }) => ({ ...entry, is_secret: isSecret ?? undefined }))
    const choices = { own: within(own), share: within(share) }
    return { ...more, entries: flagged, ...choices, replace: replace === 'all' ? replace : within(replace) }
  }
  return { ...ofBundle(content), ...(also.length === 0 ? {} : { also: also.map(ofBundle) }) }
}

// Where people sign in, a person sees the plan on the approval page and decides.
async function storeElsewhere({ options, content, notes, parts }: StoreCall): Promise<StoredSteps> {
  if (options.isDryRun) {
    throw usageError(
      '--dry-run needs a server without a sign-in',
      'Leave it out: the approver sees the plan before anything is stored.',
    )
  }
  const { storeWithApproval } = await import('../deposit/store-with-approval.ts')
  if (parts.view === 'person') for (const note of notes) parts.stderr.write(`  note: ${note}\n`)
  const end = await storeWithApproval({ ...options, content }, parts)
  return end === 'proposed' ? null : end.variables
}

async function send(content: DepositDraft, as: object, { library, how }: PlanCall): Promise<ImportPlan> {
  const explain = (answer: ExchangeAnswer) => refusedPlan(answer, how)
  const body = { ...bodyOf(content), ...as }
  return await callLibrary(library, { name: 'importVariables', body, shape: importPlan, explain })
}

function refusedPlan(answer: ExchangeAnswer, how: ImportVerb): Error | undefined {
  const { code, error } = errorBody(answer)
  const nothing = `Nothing was ${WORDS[how].done}.`
  if (code === 'plan_changed')
    return generalError(
      'the values changed after the plan was shown',
      `${nothing} Run the same command again.`,
    )
  if (answer.status !== 400 && answer.status !== 409) return undefined
  return generalError(printable(error), nothing)
}

type ShownPlans = PlanCall & { readonly notes: readonly string[]; readonly asks: boolean }

function show(plans: readonly NamedPlan[], { notes, how, library, asks }: ShownPlans): void {
  const { view, stderr } = library.parts
  for (const plan of plans) announce(library.parts, { event: 'planned', ...planFacts(plan), notes }, null)
  if (view === 'person' || (view === 'quiet' && asks)) {
    for (const plan of plans) stderr.write(planText(plan, { ...library, how }))
    for (const note of notes) stderr.write(`  note: ${note}\n`)
  }
}

type ConsentCall = Pick<StoreCall, 'options' | 'parts'>

// On a terminal every write is confirmed. Without one, new keys and shared keys need no confirmation, because programs
// still get all that they get today.
function mustAsk(steps: readonly PlanStep[], { options, parts }: ConsentCall): boolean {
  if (options.mayUpdate || writesOf(steps).length === 0) return false
  return (parts.view === 'person' && canAsk(parts)) || risksOf(steps).length > 0
}

// What changes the values that programs get today, in words.
function risksOf(steps: readonly PlanStep[]): string[] {
  const [updated, removed] = [namesOf(steps, 'update'), namesOf(steps, 'detach')]
  return [
    ...(updated.length > 0 ? [`update ${updated.join(', ')}`] : []),
    ...(removed.length > 0 ? [`remove ${removed.join(', ')}`] : []),
  ]
}

function requireConsent(steps: readonly PlanStep[], { options: { how }, parts }: ConsentCall): void {
  const { question, done } = WORDS[how]
  if (!canAsk(parts)) {
    throw generalError(
      `this would ${risksOf(steps).join(' and ')}, and there is no terminal to ask`,
      `Nothing was ${done}. Add --yes to do it.`,
    )
  }
  if (isYes(parts.keyboard, `${question}? [y/N] `)) return
  throw generalError('not confirmed', `Nothing was ${done}.`)
}

async function carryOut(
  { planId }: ImportPlan,
  { content, ...call }: PlanCall & Pick<StoreCall, 'content'>,
): Promise<ImportPlan> {
  const { view, stderr, atInterrupt } = call.library.parts
  const event = { event: 'interrupted', bundle: content.bundle }
  const takeBack = atInterrupt(() =>
    stderr.write(view === 'json' ? `${JSON.stringify(event)}\n` : INTERRUPTED),
  )
  try {
    return await send(content, { plan_id: planId }, call)
  } finally {
    takeBack()
  }
}

const INTERRUPTED =
  '\n  The server imports all of the file or nothing. Run the same command again to see which.\n'
