import type { AwaitedKey } from '@keyferry/api'
import { typedLine } from './asked.ts'
import { type Maintenance, withApi } from './maintenance.ts'
import { StartError } from './start-error.ts'

const CONFIRM = /^confirm (.+)$/

export const APPROVAL_KEY_COMMANDS = {
  'approval-keys': {
    means: 'list the signing keys that wait; confirm the one whose 20 letters its person read to you',
    argument: '[confirm LETTERS …]',
    run: withApi(async ({ api, database }, argument) => {
      if (argument === '') return listed(await api.listAwaitedKeys(database))
      const letters = CONFIRM.exec(argument)?.[1]
      if (letters === undefined)
        throw new StartError('write: keyferry-server approval-keys confirm, and the 20 letters')
      const key = await api.confirmAwaitedKey(database, letters, matchesPage)
      return `The signing key of ${key.email} counts now in ${quoted(key.workspace)}.`
    }),
  },
} satisfies Record<string, Maintenance>

function listed(keys: readonly AwaitedKey[]): string {
  if (keys.length === 0) return 'No signing key waits.'
  const next = [
    'Call each person, and let them read the 20 letters that their page shows. Confirm only what you heard:',
    '  keyferry-server approval-keys confirm XXXX-XXXX-XXXX-XXXX-XXXX',
  ]
  return [...keys.map(described), ...next].join('\n')
}

function described(key: AwaitedKey): string {
  const waits = key.state === 'pending' ? 'an owner' : `another owner, or until ${key.countsFrom}`
  return [
    `${key.fingerprint}  waits for you or ${waits}`,
    `  person     ${key.email}, workspace ${quoted(key.workspace)} (${key.tenantId})`,
    `  key        ${quoted(key.name)}, ${key.isSynced ? 'on all devices of an account' : 'bound to one device'}`,
    `  added      ${key.createdAt}${key.addedFrom === null ? '' : ` from ${key.addedFrom.address}`}`,
    ...warningsOf(key).map((warning) => `  Warning: ${warning}`),
  ].join('\n')
}

function warningsOf({ addedFrom }: AwaitedKey): string[] {
  if (addedFrom === null) return ['the log does not say from which address this key was added']
  return addedFrom.isNew ? [`nothing else that this person did came from ${addedFrom.address}`] : []
}

async function matchesPage(key: AwaitedKey): Promise<boolean> {
  const question = `Did ${key.email} read these letters to you in person or on the phone? Type yes: `
  return (await typedLine(`${described(key)}\n${question}`)) === 'yes'
}

/** A name that people chose, without the control characters of a terminal. */
function quoted(name: string): string {
  return JSON.stringify(name).replaceAll(/[\p{Cc}\p{Cf}]/gu, '�')
}
