import { resolve } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import type { DatabaseSettings } from '@keyferry/api'
import { lockDataFolder, prepareDataFolder } from '../data-folder.ts'
import { type Maintenance, type Operated, withApi } from '../maintenance.ts'
import { placeOf, requireRootKeyFile } from '../operated-database.ts'
import type { Settings } from '../settings/setting-table.ts'
import { areRootKeys, isKeeperId, isNotEmpty, listOf } from '../settings/setting-values.ts'
import { StartError } from '../start-error.ts'
import { makeRecoveryKit, missingKit, operatedKeyFile } from './recovery-kit.ts'
import { addRootKey, dropOldRootKeys, readRootKeyFile, rootKeysIn } from './root-key-file.ts'

const KIT_FIRST = 'keyferry-server recovery-kit --recipients age1… kit.age'

export const ROOT_KEY_COMMANDS = {
  'rotate-root-key': {
    means:
      're-encrypt all tenant keys with a new root key, or with the first key of ROOT_KEY if it is set; --to moves it to a keeper (command:/PROGRAM) or back (file)',
    argument: '[--to PLACE]',
    option: 'to',
    run: withApi(async (on, to) => {
      const { ROOT_KEY, ROOT_KEY_FILE, ROOT_KEY_FROM } = on.settings
      if (to !== '' && to !== 'file' && !isKeeperId(to))
        throw new StartError(`${to} is no place for a root key: name file, or command: and an absolute path`)
      const isGiven = ROOT_KEY !== undefined || ROOT_KEY_FILE !== undefined
      if (to !== '' || !isGiven) return await rotateFile(on, to === '' ? (ROOT_KEY_FROM ?? 'file') : to)
      if (ROOT_KEY_FILE !== undefined) requireKit(ROOT_KEY_FILE)
      return await rotate(on.api, on.database)
    }),
  },
  'root-key': {
    means: 'show where the root key is, whether its keeper gives it, and whether a recovery kit has it',
    async run(settings) {
      const file = operatedKeyFile(settings)
      readRootKeyFile(file, settings.ROOT_KEY_FROM ?? 'file')
      const lines = rootKeysIn(file).map(({ id, place }) => `Root key ${id}: ${place} (${file})`)
      const problem = missingKit(file)
      const kit = problem === null ? [] : [`Warning: ${problem}. Make one: ${KIT_FIRST}`]
      return { text: [...lines, 'The root key can be read.', ...kit].join('\n'), isWell: problem === null }
    },
  },
  'recovery-kit': {
    means:
      'write the root key to a file or standard output, sealed to people’s public keys of age, separated by commas',
    argument: '--recipients KEYS [FILE]',
    option: 'recipients',
    async run(settings, words) {
      const [, recipients = '', name] = /^(\S+) (.+)$/.exec(words) ?? ['', words]
      // A space after a comma would make a file of the next recipient, who then could not open the kit.
      if (name !== undefined && (recipients.endsWith(',') || /^[\s,]*age1/.test(name)))
        throw new StartError('write the recipients without spaces: --recipients age1…,age1… kit.age')
      const file = name === undefined ? null : resolve(name)
      const kit = await makeRecoveryKit(operatedKeyFile(settings), recipients, file)
      const text = file === null ? kit.trimEnd() : `The recovery kit is in ${file}.`
      return { text, isWell: true, next: KIT_ADVICE }
    },
  },
  'recovery-drill': {
    means:
      'read a decrypted recovery kit from standard input, and check that it opens every value; changes nothing',
    run: withApi(async ({ settings, api }) => {
      const rootKeys = listOf(await readText(process.stdin))
      if (!isNotEmpty(rootKeys) || !areRootKeys(rootKeys))
        throw new StartError(
          'standard input is no kit: age --decrypt -i KEY kit.age | keyferry-server recovery-drill',
        )
      const { checked, failures } = await api.verifyValues({ ...placeOf(settings), rootKeys })
      const text = `The kit opens this database: ${checked - failures.length} of ${checked} values.`
      return { text, isWell: failures.length === 0 }
    }),
  },
} satisfies Record<string, Maintenance>

const KIT_ADVICE =
  'Store the kit separately from the data. Try it: age --decrypt -i KEY kit.age | keyferry-server recovery-drill'

// The file gets the new key before the first tenant key is wrapped with it, and keeps the old key until all are. So the
// next rotation can continue one that was interrupted.
async function rotateFile({ settings, api }: Operated, to: string): Promise<string> {
  const place = placeOf(settings)
  const file = operatedKeyFile(settings)
  if (settings.DATABASE_URL !== undefined) return prepareFile(file, to)
  const unlock = lockFolder(settings)
  try {
    if (settings.ROOT_KEY_FILE === undefined) requireRootKeyFile(place.dataDir)
    addRootKey(file, to)
    requireKit(file)
    const text = await rotate(api, { ...place, rootKeys: readRootKeyFile(file, null) })
    dropOldRootKeys(file)
    return `${text}\n${afterRotation(file, to, settings.ROOT_KEY_FROM ?? 'file')}`
  } finally {
    unlock()
  }
}

// Other nodes must be able to read the new key before it wraps anything.
function prepareFile(file: string, to: string): string {
  addRootKey(file, to)
  const from = to === 'file' ? 'without ROOT_KEY_FROM' : `with ROOT_KEY_FROM=${to}`
  return `${file} has a new root key in front. Copy it to all API nodes, and restart them ${from}.
Then make a recovery kit, run keyferry-server rotate-root-key, and remove all lines but the first from the files.`
}

function afterRotation(file: string, to: string, from: string): string {
  const change = to === 'file' ? 'Remove ROOT_KEY_FROM' : `Set ROOT_KEY_FROM=${to}`
  const next = to === from ? '' : ` ${change} before the next start.`
  const advice =
    to === 'file' ? 'Store a copy of it separately from the data.' : 'Only its keeper can open it.'
  return `The new root key is in ${file}. ${advice}${next}`
}

function requireKit(file: string): void {
  const problem = missingKit(file)
  if (problem !== null)
    throw new StartError(`${problem}, so nothing was re-encrypted: run ${KIT_FIRST}, then this again`)
}

async function rotate(api: Operated['api'], database: DatabaseSettings): Promise<string> {
  const { rewrapped, forgotten } = await api.rotateRootKey(database)
  return `Workspace keys re-encrypted: ${rewrapped}. Root keys no longer needed: ${forgotten.length}.`
}

/** Lock the data folder of the settings, so that no server runs on it.
 * @returns a function that releases it */
export function lockFolder(settings: Settings): () => void {
  const folder = resolve(settings.DATA_DIR)
  prepareDataFolder(folder)
  return lockDataFolder(folder)
}
