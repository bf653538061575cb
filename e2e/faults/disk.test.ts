import { expect, test } from 'vitest'
import { type DiskResult, sufferDiskFault } from './disk.ts'
import { failingCalls, fullDisk, smallDisk } from './disk-faults.ts'

function expectClearFailures({ answers, faults }: DiskResult): void {
  expect(faults).toEqual([])
  const failures = answers.filter(({ status }) => status !== 201)
  expect(failures.length).toBeGreaterThan(0)
  for (const { status, isWellFormedError } of failures)
    expect({ status, isWellFormedError }).toEqual({ status: 503, isWellFormedError: true })
}

test.concurrent('a full disk fails writes with 503, loses nothing, and is over once there is space', async (context) => {
  using disk = smallDisk()
  context.skip(!disk)
  if (disk) expectClearFailures(await sufferDiskFault(fullDisk(disk), disk.dataDir))
})

for (const [calls, error] of [
  ['fsync,fdatasync', 'EIO'],
  ['pwrite64', 'ENOSPC'],
] as const)
  test.concurrent(`${calls} failing with ${error}: 503, nothing lost, over when it is over`, async (context) => {
    const fault = failingCalls(calls, error)
    context.skip(!fault)
    if (fault) expectClearFailures(await sufferDiskFault(fault))
  })
