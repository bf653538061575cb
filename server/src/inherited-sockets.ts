import { StartError } from './start-error.ts'

const FIRST_DESCRIPTOR = 3

/** The listening sockets that systemd opened for this process, as `sd_listen_fds` reads them; null: none.
 * @throws StartError: a number that is none, or the runtime of the single executable, which cannot listen on them */
export function inheritedSockets(
  { LISTEN_PID, LISTEN_FDS }: Readonly<Record<string, string | undefined>>,
  pid: number,
): readonly number[] | null {
  if (LISTEN_PID !== String(pid)) return null
  if (process.versions['bun'] !== undefined)
    throw new StartError('this program cannot take sockets of systemd: set HOST and PORT, or run a clone')
  const count = Number(LISTEN_FDS)
  if (!Number.isInteger(count) || count < 1)
    throw new StartError(`LISTEN_FDS is ${JSON.stringify(LISTEN_FDS)}: it must be the number of sockets`)
  return Array.from({ length: count }, (_, index) => FIRST_DESCRIPTOR + index)
}
