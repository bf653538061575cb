import { LIMITS } from '@keyferry/contract/limits'
import { nearest } from '@keyferry/contract/nearest'
import { usageError } from '../base/cli-error.ts'
import type { Parts, Values } from '../base/parts.ts'
import { type CommandFlag, flagOf, type Words } from '../command-line/command.ts'
import { detectAgent, requireReason } from '../delivery/agent.ts'
import { refusedNames } from '../delivery/dangerous-names.ts'
import type { RequestOptions, ValuesRequest } from '../delivery/values-request.ts'
import { EXAMPLE_FILE, exampleNames } from '../project/example-names.ts'
import { type FoundProject, findProject } from '../project/project-file.ts'
import { NO_OPEN } from '../terminal/browser.ts'
import {
  libraryHere,
  readBundleOperand,
  readChoice,
  requireKeyName,
  SERVER_FLAG,
  serverOf,
  workspaceOf,
} from './library-flags.ts'

export const JSON_FLAG = flagOf('--json', 'Write progress as JSON lines to stderr', 'CI')

export const QUIET_FLAG = flagOf('-q, --quiet', 'Print only what is needed')

/** How the approval page is shown, and what it says of the reason. */
export const PAGE_FLAGS: readonly CommandFlag[] = [
  flagOf('--no-open', 'Print the link without opening the browser'),
  flagOf('--no-qr', 'Show no QR code', 'Rare'),
  flagOf('--reason TEXT', 'Tell the approver why (required for AI agents)', 'Agents'),
]

/** For commands that change a bundle with an approval. */
const RECEIPT_FLAG = flagOf('--receipt FILE', "Write the server's signed receipt to this file", 'CI')

/** The flags of every command that changes a bundle with an approval. */
export const CHANGE_FLAGS: readonly CommandFlag[] = [...PAGE_FLAGS, RECEIPT_FLAG, QUIET_FLAG, JSON_FLAG]

/** What the flags of a command that requests something else than values say.
 * @throws CliError usage */
export async function readRequest(
  words: Words,
  parts: Parts,
): Promise<Omit<RequestOptions, 'bundle' | 'command'>> {
  return {
    ...(await libraryHere(words, parts)),
    ...readPage(words),
    ...readReason(words, parts),
    receiptFile: words.text('receipt'),
  }
}

function readPage(words: Words): Pick<ValuesRequest, 'hidesQrCode' | 'whyNotOpen'> {
  return {
    hidesQrCode: words.has('no-qr'),
    whyNotOpen: words.has('no-open') ? NO_OPEN : null,
  }
}

/** The flags of every command that requests values. */
export const REQUEST_FLAGS: readonly CommandFlag[] = [
  flagOf('--keys A,B...', 'Request only these variables. All must be delivered, and no others'),
  flagOf('--optional A,B...', 'Request these variables too, and continue if they are not delivered'),
  flagOf('-w, --workspace NAME|ID', 'Look for the bundle in this workspace only'),
  flagOf('--any-bundle', 'Accept the approval of another bundle or workspace than requested', 'Rare'),
  SERVER_FLAG,
  flagOf(
    '--as person|machine',
    'Ask for an approval, or use a machine credential (default: machine if a credential is set)',
    'CI',
  ),
  ...PAGE_FLAGS,
  flagOf('--ask', 'Require a new approval, which cannot be remembered', 'Agents'),
  flagOf(
    '--require-assurance bound|local',
    'Refuse an approval that did not return through this terminal (bound) or this machine (local)',
    'CI',
  ),
  RECEIPT_FLAG,
  flagOf('--prefix TEXT', 'Add this prefix to every delivered name', 'Rare'),
  flagOf(
    '--allow-name NAME...',
    'Allow this variable even though it can make programs load code (PATH, LD_PRELOAD, NODE_OPTIONS, ...)',
    'Rare',
  ),
  QUIET_FLAG,
  JSON_FLAG,
]

export type ValuesOptions = Omit<ValuesRequest, 'via' | 'format' | 'command'> & {
  /** The format that `keyferry.json` names. */
  readonly projectFormat: string | null
}

// The reason and the redaction are signed by themselves; the others change only how the person is asked.
const SIGNED_ELSEWHERE = new Set(['reason', 'redact', 'no-open', 'no-qr', 'quiet', 'json'])

/** The options from the flags, the bundle operand and `keyferry.json`, in this order of precedence.
 * @throws CliError usage */
export async function readValuesRequest(words: Words, parts: Parts): Promise<ValuesOptions> {
  const project = findProject(parts.cwd)
  const operand = readBundleOperand(words)
  const names = {
    ...requestedKeys(words, operand, project),
    allowedNames: words.names('allow-name'),
    prefix: words.text('prefix') ?? '',
  }
  requireNames(names)
  const folder = project?.folder ?? parts.cwd
  const listed = await exampleNames([parts.cwd, folder])
  requireKnownNames(words, [...(project?.keys ?? []), ...(project?.optional ?? []), ...listed])
  const options = {
    ...names,
    server: await serverOf(words, project, parts),
    bundle: operand ?? project?.bundle ?? null,
    ...workspaceOf(words, project, parts.cwd),
    acceptsAnyBundle: words.has('any-bundle'),
    as: readChoice(words, 'as', ['person', 'machine']),
    requiredAssurance: readChoice(words, 'require-assurance', ['bound', 'local']),
    receiptFile: words.text('receipt'),
    isRemembered: !words.has('ask'),
    use: {
      redaction: readChoice(words, 'redact', ['auto', 'always', 'never']) ?? 'auto',
      flags: [words.line[0] ?? 'import', ...words.flagsBut(SIGNED_ELSEWHERE)],
    },
    ...readReason(words, parts),
    ...readPage(words),
    projectFormat: project?.format ?? null,
    // What the request names is compared with the delivery anyway.
    expected: names.keys.length > 0 ? [] : listed.filter((name) => parts.env[name] === undefined),
  }
  requireReason(options, 'what the values are for')
  return options
}

/** Which agent started this command, and the reason that was given; null: none.
 * @throws CliError usage: not a reason that can be shown */
function readReason(words: Words, { env }: Parts): Pick<ValuesRequest, 'agent' | 'reason'> {
  const agent = detectAgent(env)
  const reason = words.text('reason')?.trim() || null
  const { reasonLength } = LIMITS
  if (reason !== null && (reason.length > reasonLength || /\p{Cc}/u.test(reason))) {
    throw usageError(`--reason must be one line of at most ${reasonLength} characters`, 'Shorten the reason.')
  }
  return { agent, reason }
}

// The keys of keyferry.json belong to its own bundle.
function requestedKeys(
  words: Words,
  operand: string | null,
  project: FoundProject | null,
): Pick<ValuesRequest, 'keys' | 'optionalKeys'> {
  const isProjectBundle = operand === null || operand === project?.bundle
  const named = (flag: 'keys' | 'optional'): readonly string[] =>
    words.has(flag) ? words.names(flag) : isProjectBundle ? (project?.[flag] ?? []) : []
  const optionalKeys = named('optional')
  return { keys: [...new Set([...named('keys'), ...optionalKeys])], optionalKeys }
}

/** A name of the command line that is almost one of the project's is probably a typing error.
 * @throws CliError usage */
function requireKnownNames(words: Words, known: readonly string[]): void {
  for (const name of [...words.names('keys'), ...words.names('optional')]) {
    const guess = known.includes(name) ? null : nearest(name, known)
    if (guess !== null)
      throw usageError(
        `this project does not know the variable ${name}; did you mean ${guess}?`,
        `Nothing was requested. If the name is right, add it to ${EXAMPLE_FILE} or keyferry.json.`,
      )
  }
}

/** The person's own values for the program or the output of a command.
 * @throws CliError usage: they cannot be used, or not with this command */
export async function ownValuesOf({
  folder,
  allowedNames,
  requiredAssurance,
}: ValuesOptions): Promise<Values> {
  const { OWN_FILE, ownValues } = await import('../delivery/own-values.ts')
  const own = ownValues(folder, allowedNames)
  if (own.size === 0 || requiredAssurance === null) return own
  throw usageError(
    `--require-assurance and ${OWN_FILE} cannot be combined`,
    `Remove ${OWN_FILE}: its values were not approved.`,
  )
}

type Names = Pick<ValuesOptions, 'keys' | 'allowedNames' | 'prefix'>

function requireNames({ keys, allowedNames, prefix }: Names): void {
  for (const name of [...keys, ...allowedNames, ...(prefix === '' ? [] : [prefix])]) requireKeyName(name)
  const { reasons, flags } = refusedNames(
    keys.map((name) => prefix + name),
    allowedNames,
  )
  if (flags !== '')
    throw usageError(`dangerous variables: ${reasons}`, `To request them anyway, add ${flags}.`)
}
