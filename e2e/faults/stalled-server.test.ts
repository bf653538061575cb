import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Deployment } from './deployment.ts'
import { posting, timedAnswer } from './timed-answers.ts'

/** More than a socket's queue of connections takes. */
const CALLS = 1_500
const ROUNDS = 2
const STALL_MS = 1_000

test('calls that pile up while the process is stopped are all answered, none refused', async () => {
  await using deployment = await Deployment.start({ processes: 'all' })
  const { pid } = deployment.member('all')
  for (let round = 0; round < ROUNDS; round++) {
    process.kill(pid, 'SIGSTOP')
    const calls = Array.from({ length: CALLS }, () =>
      timedAnswer(`${deployment.address}/api/v1/keys`, posting({ name: '', value: 'x' })),
    )
    await sleep(STALL_MS)
    process.kill(pid, 'SIGCONT')
    const answers = await Promise.all(calls)
    const unlike = answers.filter(({ status, isWellFormedError }) => status !== 400 || !isWellFormedError)
    expect(unlike).toEqual([])
  }
})
