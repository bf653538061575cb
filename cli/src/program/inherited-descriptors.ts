import { readFileSync, readlinkSync } from 'node:fs'
import { generalError } from '../base/cli-error.ts'
import type { Environment } from '../base/parts.ts'

/** A file descriptor, other than the standard ones, that this process got from its parent. */
export type Inherited = {
  readonly fd: number
  /** It would not survive execve: Node.js marks 3 to 16 to be closed, and Bun closes all. */
  readonly isClosedOnExec: boolean
}

type Descriptor = Inherited & { readonly target: string }

// Nobody hands these on; some terminals leak them.
const LEAKED = new Set(['/dev/null', '/dev/ptmx', '/dev/pts/ptmx'])

/** What the program has to get as well, by number.
 * @param openAtStart the descriptors that were open before the client opened any. Some of them are the runtime's */
export function inheritedDescriptors(openAtStart: readonly number[], env: Environment): readonly Inherited[] {
  const all = openAtStart.filter((fd) => fd > 2).flatMap(described)
  const firstOwn = Math.min(
    ...all.filter(({ target }) => target === 'anon_inode:[eventpoll]').map(({ fd }) => fd),
  )
  const named = new Set(
    /--jobserver-auth=(\d+),(\d+)/
      .exec(env['MAKEFLAGS'] ?? '')
      ?.slice(1)
      .map(Number),
  )
  const isPipe = ({ fd, target, isClosedOnExec }: Descriptor): boolean =>
    isClosedOnExec && fd > firstOwn && !named.has(fd) && target.startsWith('pipe:')
  // The runtime has both ends of each of its pipes.
  const isOwn = (each: Descriptor): boolean =>
    /^anon_inode:\[(?:eventpoll|eventfd|io_uring)\]$/.test(each.target) ||
    (isPipe(each) && all.some((other) => isPipe(other) && other !== each && other.target === each.target))
  return all
    .filter((each) => !LEAKED.has(each.target) && !isOwn(each))
    .toSorted((one, other) => one.fd - other.fd)
}

function described(fd: number): readonly Descriptor[] {
  try {
    const target = readlinkSync(`/proc/self/fd/${fd}`)
    const [, flags = '0'] = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')) ?? []
    return [{ fd, target, isClosedOnExec: isBun || (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) !== 0 }]
  } catch {
    return [] // the runtime closed it
  }
}

const isBun = process.versions['bun'] !== undefined
const CLOSE_ON_EXEC = 0o2_000_000

/** The sockets that systemd or another manager opened for the program are for the process with this id.
 * @returns whether there are any
 * @throws CliError general: they cannot be handed on */
export function hasOwnSockets(env: Environment, inherited: readonly Inherited[]): boolean {
  const count = Number(env['LISTEN_FDS'] ?? 0)
  if (env['LISTEN_PID'] !== String(process.pid) || !(count > 0)) return false
  const missing = Array.from({ length: count }, (_, index) => 3 + index).find(
    (fd) => !inherited.some((each) => each.fd === fd),
  )
  if (missing === undefined) return true
  throw generalError(
    `LISTEN_FDS is ${count}, but file descriptor ${missing} cannot be handed to the program`,
    'Nothing was started. Let the program open its socket itself, or unset LISTEN_FDS.',
  )
}
