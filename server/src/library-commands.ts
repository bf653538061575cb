import { DepositKey } from '@keyferry/contract'
import { type Maintenance, well } from './maintenance.ts'
import { databaseOf } from './operated-database.ts'
import { StartError } from './start-error.ts'

const TIMEOUT_MS = 20_000
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** The commands that move a library to another server. */
export const LIBRARY_COMMANDS = {
  'export-library': {
    means:
      'write this library, or some of its bundles, to standard output, sealed so that only SERVER can open it',
    argument: 'SERVER [BUNDLE …]',
    async run(settings, words) {
      const [server = '', ...bundleNames] = words.split(' ')
      const { kid, public_key } = await depositKeyOf(addressOf(server))
      const { exportLibrary } = await import('@keyferry/api')
      const publicKey = Buffer.from(public_key, 'base64')
      return well(await exportLibrary(databaseOf(settings), { kid, publicKey, bundleNames }))
    },
  },
} satisfies Record<string, Maintenance>

function addressOf(server: string): URL {
  const url = URL.parse(server)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new StartError(`${JSON.stringify(server)} is not an address: write https://keyferry.example.com`)
  // The file is only as secret as this answer is genuine.
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname))
    throw new StartError('the server must have https, because its answer decides who can open the file')
  return url
}

async function depositKeyOf(server: URL) {
  try {
    const answer = await fetch(new URL('/api/v1/deposit-key', server), {
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: 'error',
    })
    return DepositKey.parse(await answer.json())
  } catch (cause) {
    throw new StartError(`${server.origin} did not answer with a deposit key: is it a Keyferry server?`, {
      cause,
    })
  }
}
