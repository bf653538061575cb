import type { Command, Words } from '../command-line/command.ts'
import { EXIT } from '../ground/exit-code.ts'
import type { Parts } from '../ground/parts.ts'
import { printable } from '../ground/printable.ts'
import type { ListedBundle, ListedName } from '../server/bundles.ts'
import type { Library } from '../server/library-call.ts'
import { isLoopback } from '../server/loopback.ts'
import { JSON_FLAG, QUIET_FLAG, readView } from './asking-flags.ts'
import { readBundleOperand } from './names.ts'
import { libraryHere, SERVER_FLAG, WORKSPACE_FLAG } from './server-flag.ts'

export const lsCommand: Command = {
  name: 'ls',
  operands: '[BUNDLE]',
  maxOperands: 1,
  summary: 'List the bundles, or the names that one delivers',
  details: [
    'Shows no values. On a server without accounts, ls lists all bundles. On other servers it needs KEYFERRY_TOKEN and lists the bundles of that machine. The client has no sign-in for people: use keyferry open instead.',
  ],
  flags: [
    WORKSPACE_FLAG,
    SERVER_FLAG,
    { name: 'here', summary: 'Ask only a server on this machine; print nothing for any other' },
    { ...QUIET_FLAG, summary: 'Print names only' },
    { ...JSON_FLAG, summary: 'One JSON array' },
  ],
  examples: [
    { command: 'keyferry ls', what: 'List the bundles' },
    { command: 'keyferry ls dev/app', what: 'List the names that dev/app delivers' },
  ],
  run: async (words, parts) => await ls(words, parts),
}

async function ls(words: Words, parts: Parts): Promise<number> {
  const bundle = readBundleOperand(words)
  const named = { ...(await libraryHere(words, parts)), view: readView(words) }
  if (words.has('here') && !isLoopback(new URL(named.server).hostname)) return EXIT.ok
  const { openLibrary } = await import('../server/named-workspace.ts')
  const { bundleNamed, listBundles, listNames } = await import('../server/bundles.ts')
  const { findToken } = await import('../machine/credential.ts')
  const token = findToken(parts)
  const opened = await openLibrary(token === null ? named : { ...named, workspace: null }, parts)
  const library: Library = token === null ? opened : { ...opened, token }
  const bundles = await listBundles({ library, parts })
  parts.stdout.write(
    bundle === null
      ? bundlesText(bundles, named.view)
      : namesText(await listNames({ library, parts }, bundleNamed(bundles, bundle)), named.view),
  )
  return EXIT.ok
}

function bundlesText(bundles: readonly ListedBundle[], view: Library['view']): string {
  if (view === 'json')
    return json(bundles.map(({ id, name, keyCount }) => ({ id, name, key_count: keyCount })))
  if (view === 'quiet') return lines(bundles.map(({ name }) => [name]))
  return lines(bundles.map(({ name, keyCount }) => [name, `${keyCount} ${keyCount === 1 ? 'key' : 'keys'}`]))
}

function namesText(names: readonly ListedName[], view: Library['view']): string {
  if (view === 'json')
    return json(
      names.map(({ name, isSecret, isRequired }) => ({ name, is_secret: isSecret, required: isRequired })),
    )
  if (view === 'quiet') return lines(names.map(({ name }) => [name]))
  return lines(
    names.map(({ name, isSecret, isRequired }) => [
      name,
      [isSecret ? 'secret' : 'public', ...(isRequired ? ['required'] : [])].join(', '),
    ]),
  )
}

function json(entries: readonly object[]): string {
  return `${JSON.stringify(entries)}\n`
}

function lines(rows: readonly (readonly string[])[]): string {
  const width = Math.max(0, ...rows.map(([first = '']) => first.length))
  return rows
    .map(([first = '', ...rest]) =>
      rest.length === 0 ? first : `${first.padEnd(width)}  ${rest.join('  ')}`,
    )
    .map((line) => `${printable(line)}\n`)
    .join('')
}
