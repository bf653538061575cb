import { EXIT, usageError } from '../base/cli-error.ts'
import type { Parts } from '../base/parts.ts'
import { printable } from '../base/printable.ts'
import { type Command, flagOf } from '../command-line/command.ts'
import type { RequestOptions } from '../delivery/values-request.ts'
import { readBundleOperand, SERVER_FLAG, WORKSPACE_FLAG } from '../flags/library-flags.ts'
import { JSON_FLAG, PAGE_FLAGS, QUIET_FLAG, readRequest } from '../flags/request-flags.ts'
import type { BundleLists } from '../server/bundles.ts'
import type { NamedLibrary } from '../server/library-call.ts'
import { isOnThisMachine } from '../server/server-address.ts'

export const lsCommand: Command = {
  name: 'ls',
  operands: '[BUNDLE]',
  summary: 'List the bundles, or the variables of one',
  details: [
    'Shows no values. On a terminal it prints a table of applications and environments, with their last use and what is expired or due, if the server says so. On a server without accounts, ls answers at once. With KEYFERRY_TOKEN it lists what that machine can read.',
    'Where people sign in, the page lists the bundles, and ls BUNDLE needs an approval each time. No value leaves the server.',
  ],
  flags: [
    WORKSPACE_FLAG,
    SERVER_FLAG,
    flagOf('--here', 'Ask only a server on this machine without accounts; print nothing for any other'),
    ...PAGE_FLAGS,
    { ...QUIET_FLAG, summary: 'Print names only' },
    { ...JSON_FLAG, summary: 'One JSON array' },
  ],
  examples: {
    'keyferry ls': 'List the bundles',
    'keyferry ls dev/app': 'List the variables of dev/app',
  },
  run: async (words, parts) => {
    const bundle = readBundleOperand(words)
    const named = await readRequest(words, parts)
    if (words.has('here') && !isOnThisMachine(named.server)) return EXIT.ok
    const { findToken } = await import('../machine/credential.ts')
    const token = findToken(parts)
    const { isOwnLibrary } = await import('../server/server-facts.ts')
    const needsApproval = token === null && !(await isOwnLibrary(named.server, parts))
    if (needsApproval && words.has('here')) return EXIT.ok
    const listed = needsApproval
      ? await listApproved({ ...named, bundle }, parts)
      : await listDirectly(token === null ? named : { ...named, token, workspace: null }, bundle, parts)
    if (bundle === null && parts.view === 'person' && parts.stdout.isTerminal) await showTable(listed, parts)
    else parts.stdout.write(textOf(rowsOf(listed, bundle), parts.view))
    return EXIT.ok
  },
}

async function listDirectly(named: NamedLibrary, bundle: string | null, parts: Parts): Promise<BundleLists> {
  const { openLibrary } = await import('../server/library-call.ts')
  const { bundleNamed, listBundleFacts, listBundles, listNames } = await import('../server/bundles.ts')
  const library = await openLibrary(named, parts)
  if (bundle === null) return { bundles: await listBundleFacts(library), names: [] }
  const bundles = await listBundles(library)
  return { bundles, names: await listNames(library, bundleNamed(bundles, bundle)) }
}

async function showTable({ bundles }: BundleLists, { stdout, env, platform, clock }: Parts): Promise<void> {
  const { bundleTable } = await import('../names/bundle-table.ts')
  const { terminalStyle } = await import('../terminal/terminal-style.ts')
  const style = terminalStyle(stdout, env, platform)
  const lines = bundleTable(bundles, { style, columns: stdout.columns(), nowMs: clock.epochMs() })
  stdout.write(lines.map((line) => `${line}\n`).join(''))
}

async function listApproved(request: Omit<RequestOptions, 'command'>, parts: Parts): Promise<BundleLists> {
  const { bundle, server } = request
  if (bundle === null)
    throw usageError('this server lists its bundles on the page only', `Open ${server}, or name a bundle.`)
  const { listWithApproval } = await import('../names/list-with-approval.ts')
  const { names } = await listWithApproval({ ...request, bundle, command: ['keyferry', 'ls', bundle] }, parts)
  return { names, bundles: [] }
}

/** One line of the list: as JSON, and as text. */
type ListRow = { readonly json: object; readonly cells: readonly [name: string, about: string] }

function rowsOf({ bundles, names }: BundleLists, bundle: string | null): readonly ListRow[] {
  if (bundle === null)
    return bundles.map(({ id, name, keyCount, marks, lastAtMs }) => ({
      json: {
        id,
        name,
        key_count: keyCount,
        ...(marks === null ? {} : { ...marks, last_at: lastAtMs ? new Date(lastAtMs).toISOString() : null }),
      },
      cells: [name, `${keyCount} ${keyCount === 1 ? 'variable' : 'variables'}`],
    }))
  return names.map(({ name, isSecret, required }) => ({
    json: { name, is_secret: isSecret, required },
    cells: [name, `${isSecret ? 'secret' : 'public'}${required ? ', required' : ''}`],
  }))
}

function textOf(rows: readonly ListRow[], view: Parts['view']): string {
  if (view === 'json') return `${JSON.stringify(rows.map(({ json }) => json))}\n`
  const width = Math.max(0, ...rows.map(({ cells: [name] }) => name.length))
  return rows
    .map(({ cells: [name, about] }) => (view === 'quiet' ? name : `${name.padEnd(width)}  ${about}`))
    .map((line) => `${printable(line)}\n`)
    .join('')
}
