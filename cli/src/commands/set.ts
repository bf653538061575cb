import { resolve } from 'node:path'
import { EXIT, generalError, usageError } from '../base/cli-error.ts'
import type { Parts } from '../base/parts.ts'
import { printable } from '../base/printable.ts'
import { type Command, flagOf, type Words } from '../command-line/command.ts'
import { BUNDLE_FLAG, readKeyOfBundle, SERVER_FLAG, WORKSPACE_FLAG } from '../flags/library-flags.ts'
import { CHANGE_FLAGS, readRequest } from '../flags/request-flags.ts'
import type { ImportTextOptions } from '../import/import-options.ts'

const MOST_GENERATED = 1_024

export const setCommand: Command = {
  name: 'set',
  operands: 'NAME [-]',
  summary: 'Store one value in a bundle',
  details: [
    'Asks for the value without showing it, reads it from standard input (-), from a file, or makes a random one. Do not write a value on the command line, where other programs can see it. set drops one line end of standard input. Empty input is an error; --file /dev/null stores an empty value.',
    'If other bundles share the value, this bundle gets its own and theirs does not change. --everywhere changes it for all of them. A new variable is secret unless you add --public; one that the bundle has stays secret or not.',
    'set creates the bundle if it does not exist. On a server in local mode that has a bundle with almost the same name, set asks first; without a terminal it stores nothing.',
    'Where people sign in to the server, set seals the value to the server, shows a link and waits for an approval.',
  ],
  flags: [
    BUNDLE_FLAG,
    WORKSPACE_FLAG,
    SERVER_FLAG,
    flagOf('--file FILE', 'Store the content of this file'),
    flagOf('--generate LENGTH', 'Store this many random letters and digits'),
    flagOf('--public', 'The value is not secret; it may be shown'),
    flagOf('--secret', 'The value is secret'),
    flagOf('--everywhere', 'Change the value in every bundle that shares it'),
    ...CHANGE_FLAGS,
  ],
  examples: {
    'keyferry set API_TOKEN --bundle dev/app': 'Type the value without showing it',
    'keyferry set SESSION_SECRET --bundle dev/app --generate 32': 'A random value of 32 letters and digits',
    'pass show token | keyferry set API_TOKEN - --bundle dev/app': 'From another tool',
  },
  run: async (words, parts) => {
    const options = await readOptions(words, parts)
    const value = await readValue(words, options.name, parts)
    const { importText } = await import('../import/import-file.ts')
    const text = { entries: [{ name: options.name, value, line: 1 }], notes: [], detach: [] }
    await importText(options, text, parts)
    return EXIT.ok
  },
}

async function readOptions(words: Words, parts: Parts): Promise<ImportTextOptions & { name: string }> {
  refuseValue(words.operands[0] ?? '')
  const { name, bundleName } = readKeyOfBundle(words, parts.cwd, 'keyferry set API_TOKEN --bundle dev/app')
  if (words.has('public') && words.has('secret'))
    throw usageError('a value cannot be both secret and public', 'Use only one of --secret and --public.')
  return {
    ...(await readRequest(words, parts)),
    name,
    isServerNamed: words.has('server'),
    bundleName,
    how: 'store',
    flags: { secret: words.has('secret') ? [name] : [], public: words.has('public') ? [name] : [] },
    choices: { own: [], share: [], replace: words.has('everywhere') ? [name] : [] },
    isDryRun: false,
    mayUpdate: true,
    command: ['keyferry', 'set', name, '--bundle', bundleName, ...chosen(words)],
  }
}

// The approver sees what the person chose.
function chosen(words: Words): string[] {
  return ['public', 'secret', 'everywhere'].flatMap((flag) => (words.has(flag) ? [`--${flag}`] : []))
}

// The value is not repeated: what this prints may be kept.
function refuseValue(name: string): void {
  if (!name.includes('=')) return
  throw usageError(
    'a value does not belong on the command line',
    `Run keyferry set ${printable(name.slice(0, name.indexOf('=')), 80)} --bundle BUNDLE: it asks for the value without showing it.`,
  )
}

async function readValue(words: Words, name: string, parts: Parts): Promise<string> {
  const [, input] = words.operands
  const [file, length] = [words.text('file'), words.text('generate')]
  if (input !== undefined && input !== '-')
    throw usageError(
      'a value does not belong on the command line',
      'Omit it, and set asks for it without showing it. Or use - for standard input, --file or --generate.',
    )
  if ([input, file, length].filter((source) => source !== undefined && source !== null).length > 1)
    throw usageError('give the value in one way', 'Use only one of -, --file and --generate.')
  if (length !== null) return await generated(length)
  if (file !== null) return await readFileValue(resolve(parts.cwd, file))
  if (input === '-' || !parts.keyboard.isThere()) {
    const text = decoded(await parts.stdin.readAll(), 'standard input')
    return given(text.replace(/\r?\n$/, ''), 'standard input is empty')
  }
  return given((await parts.keyboard.askHidden(`${name}: `)) ?? '', 'no value was typed')
}

// Empty input almost always means that the program before the pipe failed.
function given(value: string, problem: string): string {
  if (value !== '') return value
  throw generalError(
    problem,
    'Nothing was stored. To store an empty value, add --file with an empty file, such as /dev/null.',
  )
}

async function generated(length: string): Promise<string> {
  const count = Number(length)
  if (!Number.isInteger(count) || count < 1 || count > MOST_GENERATED)
    throw usageError(`--generate needs a length from 1 to ${MOST_GENERATED}`, 'For example: --generate 32')
  const { randomText } = await import('@keyferry/crypto/random-text')
  return randomText(count)
}

async function readFileValue(path: string): Promise<string> {
  const { readBytes } = await import('../import/read-text.ts')
  return decoded(await readBytes(path), printable(path))
}

function decoded(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw generalError(
      `${name} is not UTF-8`,
      'Nothing was stored. Encode the value, for example with base64.',
    )
  }
}
