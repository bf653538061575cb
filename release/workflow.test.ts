import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { ROOT } from './places.ts'

const FOLDER = join(ROOT, '.github/workflows')
const Step = z.object({
  uses: z.string().optional(),
  run: z.string().optional(),
  with: z.looseObject({}).optional(),
})
const Job = z.object({
  permissions: z.record(z.string(), z.string()),
  environment: z.string().optional(),
  steps: z.array(Step),
})
const Workflow = z.object({ permissions: z.object({}).strict(), jobs: z.record(z.string(), Job) })

const files = readdirSync(FOLDER).map((name) => {
  const text = readFileSync(join(FOLDER, name), 'utf8')
  return { name, text, jobs: Object.values(Workflow.parse(parse(text)).jobs) }
})

test.each(files)('$name: each action is pinned by its commit, and names its version', ({ text }) => {
  const uses = [...text.matchAll(/uses: (.*)$/gm)].map(([, used = '']) => used)
  expect(uses.length).toBeGreaterThan(0)
  for (const used of uses) expect(used).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
})

test.each(files)('$name: no script has an expression, and no checkout leaves a credential', ({ jobs }) => {
  const steps = jobs.flatMap((job) => job.steps)
  for (const { run } of steps) expect(run ?? '').not.toContain('${{')
  for (const { uses, with: options } of steps)
    if (uses?.startsWith('actions/checkout@')) expect(options?.['persist-credentials']).toBe(false)
})

test.each(files)(
  '$name: only a job that a maintainer confirms may write or have a secret',
  ({ jobs, text }) => {
    expect(text).toContain('secrets.')
    for (const job of jobs) {
      const writes = Object.values(job.permissions).includes('write')
      expect([writes, job.environment]).toEqual(writes ? [true, 'release'] : [false, undefined])
    }
  },
)

test('the release has provenance, and is published without a token', () => {
  const publish = files.flatMap(({ jobs }) => jobs).find(({ environment }) => environment === 'release')
  expect(publish?.permissions).toEqual({ contents: 'write', 'id-token': 'write', attestations: 'write' })
  const text = files.map((file) => file.text).join('')
  expect(text).toContain('subject-checksums: release/dist/SHA256SUMS')
  expect(text).not.toMatch(/NODE_AUTH_TOKEN|NPM_TOKEN/)
})
