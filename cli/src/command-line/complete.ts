import { DIALECT_NAMES } from '@keyferry/contract/env/dialects'
import { FORMAT_NAMES } from '@keyferry/contract/env/format-names'
import type { Command, CommandFlag } from './command.ts'
import { COMPLETION_SHELLS } from './completion-script.ts'
import { allFlags } from './parse-words.ts'

const FILES = [':files']

// The words that a flag or a command accepts, where the list is closed.
const WORDS: Readonly<Record<string, readonly string[]>> = {
  FORMAT: FORMAT_NAMES,
  DIALECT: DIALECT_NAMES,
  'auto|always|never': ['auto', 'always', 'never'],
  [COMPLETION_SHELLS.join('|')]: COMPLETION_SHELLS,
}

type CompletionParts = {
  readonly commands: readonly Command[]
  /** The names of the bundles that a server on this machine has. */
  readonly listBundles: () => Promise<readonly string[]>
}

/** What may stand at a place of a command line, as `completion-script.ts` says.
 * @param words those after `keyferry`
 * @param at the index of the word that is being typed; it may be one past the last word */
export async function complete(
  words: readonly string[],
  at: number,
  parts: CompletionParts,
): Promise<readonly string[]> {
  const current = words[at] ?? ''
  const found = await candidates(words.slice(0, at), current, parts)
  return found === FILES ? FILES : found.filter((line) => line.startsWith(current))
}

async function candidates(before: readonly string[], current: string, parts: CompletionParts) {
  const [verb, ...given] = before
  const { commands, listBundles } = parts
  const verbs = commands.map(({ name, summary }) => `${name}\t${summary}`)
  if (verb === undefined) return [...verbs, 'help\tShow the help of a command', '--help', '--version']
  if (verb === 'help') return verbs
  const command = commands.find(({ name }) => name === verb)
  if (command === undefined) return []
  if (given.includes('--')) return FILES
  const flags = allFlags(command)
  const flag = flags.find(({ name, short }) => [`--${name}`, `-${short}`].includes(given.at(-1) ?? ''))
  if (flag?.value !== undefined && flag.valueIfBare === undefined) return await valuesOf(flag, listBundles)
  const { operands = '' } = command
  if (current.startsWith('-') || operands === '')
    return flags.map(({ name, summary }) => `--${name}\t${summary}`)
  if (operands === 'verify FILE') return given.includes('verify') ? FILES : ['verify']
  if (operands.startsWith('FILE')) return FILES
  return operands.includes('BUNDLE') ? await listBundles() : (WORDS[operands] ?? [])
}

async function valuesOf({ name, value = '' }: CommandFlag, listBundles: CompletionParts['listBundles']) {
  if (value === 'FILE' || name === 'output') return FILES
  return name === 'bundle' ? await listBundles() : (WORDS[value] ?? [])
}
