import { describe, expect, test } from 'vitest'
import { hasOwnSockets } from './inherited-descriptors.ts'

const OURS = String(process.pid)
const inherited = (...fds: readonly number[]) => fds.map((fd) => ({ fd, isClosedOnExec: true }))

describe('the sockets of a service manager', () => {
  test.each<[string, NodeJS.ProcessEnv, boolean]>([
    ['none are named', {}, false],
    ['they are for this process', { LISTEN_FDS: '2', LISTEN_PID: OURS }, true],
    ['they are for another process', { LISTEN_FDS: '2', LISTEN_PID: '1' }, false],
    ['nobody says for whom they are', { LISTEN_FDS: '2' }, false],
    ['there are none', { LISTEN_FDS: '0', LISTEN_PID: OURS }, false],
    ['their number is no number', { LISTEN_FDS: 'two', LISTEN_PID: OURS }, false],
  ])('are handed on or not: %s', (_, env, isThere) => {
    expect(hasOwnSockets(env, inherited(3, 4))).toBe(isThere)
  })

  test('cannot be handed on if one was not inherited', () => {
    const env = { LISTEN_FDS: '2', LISTEN_PID: OURS }
    expect(() => hasOwnSockets(env, inherited(3))).toThrow(
      'LISTEN_FDS is 2, but file descriptor 4 cannot be handed to the program',
    )
  })
})
