import { resolve } from 'node:path'
import { groupBy } from '@keyferry/contract/group-by'
import { LIMITS } from '@keyferry/contract/limits'
import { isProduction } from '@keyferry/contract/production'
import { EXIT, refusedError, usageError } from '../base/cli-error.ts'
import type { Parts } from '../base/parts.ts'
import { printable } from '../base/printable.ts'
import { type Command, flagOf, type Words } from '../command-line/command.ts'
import { libraryHere, requireBundleName, SERVER_FLAG, WORKSPACE_FLAG } from '../flags/library-flags.ts'
import { EXAMPLE_FILE } from '../project/example-names.ts'
import type { ListedBundle } from '../server/bundles.ts'
import type { ComparedRow } from '../server/comparison.ts'
import type { Library } from '../server/library-call.ts'

const FEWEST = 2
const FAIL_ON = ['difference', 'missing'] as const
const WIDEST_NAME = 40
const WORDS = { missing: 'missing', own: 'own value', shared: 'same' } as const

export const diffCommand: Command = {
  name: 'diff',
  operands: 'BUNDLE [BUNDLE...]',
  maxOperands: LIMITS.comparedBundles,
  summary: 'Compare the variables of bundles',
  details: [
    `Lists the variables that ${FEWEST} to ${LIMITS.comparedBundles} bundles do not share: those that a bundle lacks, and those with a value of their own. It marks production, and what is expired or due. It shows no values and needs no approval. With KEYFERRY_TOKEN it compares what that machine can read.`,
    'The exit code is 1 if the bundles differ. diff does not compare values: two bundles can have equal values of their own. With --fail-on missing, own values are fine, and only a missing variable exits with 1. The exit code for an unknown bundle is 2.',
    `With --against FILE it compares one bundle with a file such as ${EXAMPLE_FILE}: variables that the bundle lacks, and variables that the file lacks.`,
    'Where people sign in to the server, diff needs the token of a machine, as in a CI job. On your own computer, use the page of the application.',
  ],
  flags: [
    flagOf('--fail-on KIND', `Exit with 1 on this: ${FAIL_ON.join(' or ')} (default: difference)`),
    flagOf('--against FILE', `Compare one bundle with the variables in this file, such as ${EXAMPLE_FILE}`),
    WORKSPACE_FLAG,
    SERVER_FLAG,
    flagOf('--json', 'One JSON object with all variables, shared ones too'),
  ],
  examples: {
    'keyferry diff dev/app prod/app': 'List what differs between two environments',
    'keyferry diff dev/app staging/app prod/app --fail-on missing':
      'In a check: fail if an environment lacks a variable',
    [`keyferry diff dev/app --against ${EXAMPLE_FILE} --fail-on missing`]:
      'In a check: fail if a bundle lacks a variable that the project needs',
  },
  run: async (words, parts) => await diff(await readOptions(words, parts), parts),
}

type DiffOptions = Awaited<ReturnType<typeof readOptions>>

async function readOptions(words: Words, parts: Parts) {
  const bundleNames = words.operands
  const against = words.text('against')
  if (against !== null && bundleNames.length !== 1)
    throw usageError(
      '--against needs one bundle',
      `For example: keyferry diff dev/app --against ${EXAMPLE_FILE}`,
    )
  if (against === null && bundleNames.length < FEWEST) {
    throw usageError(`diff needs at least ${FEWEST} bundles`, 'For example: keyferry diff dev/app prod/app')
  }
  for (const name of bundleNames) requireBundleName(name)
  const twice = bundleNames.find((name, index) => bundleNames.indexOf(name) < index)
  if (twice !== undefined) throw usageError(`${twice} is given twice`, 'Name each bundle once.')
  const failOn = readFailOn(words)
  return { library: await libraryHere(words, parts), bundleNames, failOn, against }
}

function readFailOn(words: Words): (typeof FAIL_ON)[number] {
  const given = words.text('fail-on') ?? 'difference'
  const kind = FAIL_ON.find((each) => each === given)
  if (kind !== undefined) return kind
  throw usageError(`unknown kind ${printable(given, 60)}`, `Use --fail-on ${FAIL_ON.join(' or ')}.`)
}

/** Write the differences to standard output.
 * @returns 1 if there is a finding of the kind in the options, else 0 · @throws CliError */
async function diff(options: DiffOptions, parts: Parts): Promise<number> {
  const { bundleNames, failOn, against } = options
  const library = await open(options, parts)
  if (against !== null) return await diffFile(library, { ...options, against }, parts)
  const { compareBundles } = await import('../server/comparison.ts')
  const compared = await compareBundles(library, bundleNames)
  const rows = compared.rows.map((row) => ({ ...row, result: resultOf(row) }))
  const text = parts.view === 'json' ? asJson(rows, bundleNames) : asText(rows) + aboutText(compared.bundles)
  parts.stdout.write(text)
  const fails = (row: JudgedRow) => row.result === 'missing' || (row.result === 'own' && failOn !== 'missing')
  return rows.some(fails) ? EXIT.different : EXIT.ok
}

/** Compare the names of a bundle with those of a file. */
async function diffFile(
  library: Library,
  { bundleNames: [bundle = ''], failOn, against }: DiffOptions & { readonly against: string },
  { cwd, stdout, view, ...parts }: Parts,
): Promise<number> {
  const { readText } = await import('../import/read-text.ts')
  const file = { path: resolve(cwd, against), dialect: 'dotenv', flagged: {} } as const
  const listed = (await readText(file, { ...parts, cwd, stdout, view })).entries.map(({ name }) => name)
  const { bundleNamed, listBundles, listNames } = await import('../server/bundles.ts')
  const items = await listNames(library, bundleNamed(await listBundles(library), bundle))
  const names = items.map(({ name }) => printable(name))
  const missing = listed.filter((name) => !names.includes(name))
  const extra = names.filter((name) => !listed.includes(name))
  const where = printable(against)
  const lines = [
    ...missing.map((name) => `  - ${name}  missing in ${bundle}\n`),
    ...extra.map((name) => `  + ${name}  not in ${where}\n`),
    `${missing.length} missing in ${bundle}, ${extra.length} not in ${where}\n`,
  ]
  stdout.write(view === 'json' ? `${JSON.stringify({ bundle, against, missing, extra })}\n` : lines.join(''))
  return missing.length > 0 || (extra.length > 0 && failOn !== 'missing') ? EXIT.different : EXIT.ok
}

// A token knows its workspace.
async function open({ library, bundleNames }: DiffOptions, parts: Parts): Promise<Library> {
  const { findToken } = await import('../machine/credential.ts')
  const { openLibrary } = await import('../server/library-call.ts')
  const token = findToken(parts)
  if (token !== null) return await openLibrary({ ...library, token, workspace: null }, parts)
  const { isOwnLibrary } = await import('../server/server-facts.ts')
  if (await isOwnLibrary(library.server, parts)) return await openLibrary(library, parts)
  const [first = '', ...others] = bundleNames.map((name) => encodeURIComponent(name).replaceAll('%2F', '/'))
  const query = others.map((name) => `with=${name}`).join('&')
  throw refusedError(
    `${library.server} requires sign-in, and the client cannot sign in`,
    `Open ${library.server}/apps/${first}?${query}, or set KEYFERRY_TOKEN to the token of a machine that can read these bundles.`,
  )
}

/** `missing`: a bundle lacks the name · `own`: not all bundles use the same key · `shared`: all of them do. */
type Result = 'missing' | 'own' | 'shared'
type JudgedRow = ComparedRow & { readonly result: Result }

function resultOf({ cells }: ComparedRow): Result {
  if (cells.some(({ state }) => state === 'missing')) return 'missing'
  const [first, ...others] = cells
  const isShared = first?.state === 'shared' && others.every(({ keyId }) => keyId === first.keyId)
  return isShared ? 'shared' : 'own'
}

const count = (rows: readonly JudgedRow[], result: Result): number =>
  rows.filter((row) => row.result === result).length

function asJson(rows: readonly JudgedRow[], bundleNames: readonly string[]): string {
  return `${JSON.stringify({
    bundles: bundleNames,
    missing: count(rows, 'missing'),
    own: count(rows, 'own'),
    shared: count(rows, 'shared'),
    rows: rows.map(({ name, result, cells }) => ({
      name,
      result,
      cells: cells.map(({ bundleName, state, keyId }) => ({ bundle: bundleName, state, key_id: keyId })),
    })),
  })}\n`
}

function asText(rows: readonly JudgedRow[]): string {
  const differing = rows.filter(({ result }) => result !== 'shared')
  const widest = Math.min(WIDEST_NAME, Math.max(0, ...differing.map(({ name }) => name.length)))
  const lines = differing.map((row) => {
    const sign = row.result === 'missing' ? '-' : '~'
    return `  ${sign} ${row.name.padEnd(widest)}  ${whereText(row)}\n`
  })
  return `${lines.join('')}${summary(rows)}\n`
}

/** For example `prod/app: production, 1 expired, 2 due`. */
function aboutText(bundles: readonly ListedBundle[]): string {
  const lines = bundles.flatMap(({ name, marks, ...bundle }) => {
    const facts = [
      ...(isProduction({ name, ...bundle }) ? ['production'] : []),
      ...(['expired', 'due'] as const).flatMap((mark) => (marks?.[mark] ? [`${marks[mark]} ${mark}`] : [])),
    ]
    return facts.length === 0 ? [] : [`${printable(name)}: ${facts.join(', ')}\n`]
  })
  return lines.join('')
}

/** For example `missing in dev/app; same in staging/app, prod/app`. */
function whereText({ cells }: ComparedRow): string {
  const missingFirst = cells.toSorted((a, b) => Number(b.state === 'missing') - Number(a.state === 'missing'))
  const groups = groupBy(missingFirst, ({ state, keyId }) => (state === 'shared' ? `shared ${keyId}` : state))
  return [...groups.values()]
    .map((group) => {
      const word = WORDS[group[0]?.state ?? 'own']
      return `${word} in ${group.map((cell) => cell.bundleName).join(', ')}`
    })
    .join('; ')
}

function summary(rows: readonly JudgedRow[]): string {
  if (rows.length === 0) return 'The bundles have no variables'
  const counts = [
    [count(rows, 'missing'), 'missing in a bundle'],
    [count(rows, 'own'), 'with own values'],
    [count(rows, 'shared'), 'same in all'],
  ] as const
  return counts.flatMap(([number, what]) => (number === 0 ? [] : [`${number} ${what}`])).join(', ')
}
