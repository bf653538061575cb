import { DepositKey } from '@keyferry/contract'
import { isLoopback } from '@keyferry/plumbing/loopback'
import { type Maintenance, withApi } from './maintenance.ts'
import { StartError } from './start-error.ts'

const TIMEOUT_MS = 20_000

export const LIBRARY_COMMANDS = {
  'export-library': {
    means:
      'write this library, or some of its bundles, to standard output, sealed so that only SERVER can open it',
    argument: 'SERVER [BUNDLE …]',
    run: withApi(async (on, words) => {
      const [server = '', ...bundleNames] = words.split(' ')
      const address = addressOf(server)
      if (process.stdout.isTTY)
        throw new StartError(`write to a file: keyferry-server export-library ${words} > library.json`)
      const { database } = on
      const { kid, public_key } = await depositKeyOf(address)
      const publicKey = Buffer.from(public_key, 'base64')
      const { text, bundles, keys } = await on.api.exportLibrary(database, { kid, publicKey, bundleNames })
      return { text, isWell: true, next: nextStep(address, { bundles, keys }) }
    }),
  },
} satisfies Record<string, Maintenance>

function nextStep({ origin }: URL, { bundles, keys }: { bundles: number; keys: number }): string {
  return [
    `Exported ${counted(bundles, 'bundle')} and ${counted(keys, 'key')}. Only ${origin} can open the file.`,
    `Next: an owner of a workspace opens ${origin}/bundles/move and chooses the file.`,
  ].join('\n')
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** The address of a server. Without a scheme it means https, or http for this machine. */
function addressOf(server: string): URL {
  const url = URL.parse(server.includes('://') ? server : withScheme(server))
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new StartError(`${JSON.stringify(server)} is not an address: write https://keyferry.example.com`)
  // The file is only as secret as this answer is genuine.
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new StartError(
      `${url.origin} is not https, and its answer decides who can open the file: use the https address`,
    )
  return url
}

function withScheme(server: string): string {
  const host = URL.parse(`https://${server}`)?.hostname ?? ''
  return `${isLoopback(host) ? 'http' : 'https'}://${server}`
}

async function depositKeyOf(server: URL) {
  const answer = await answerOf(server)
  const key = DepositKey.safeParse(await answer.json().catch(() => null))
  if (key.success) return key.data
  throw new StartError(
    `${server.origin} answered ${answer.status} without a deposit key: is it a Keyferry server?`,
  )
}

async function answerOf(server: URL): Promise<Response> {
  try {
    return await fetch(new URL('/api/v1/deposit-key', server), {
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: 'error',
    })
  } catch (error) {
    throw new StartError(`cannot reach ${server.origin}: ${reasonOf(error)}`, { cause: error })
  }
}

/** Why `fetch` failed, for example ENOTFOUND, CERT_HAS_EXPIRED or `unexpected redirect`. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  if (!(cause instanceof Error)) return String(cause)
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message
}
