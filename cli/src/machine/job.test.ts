import { expect, test } from 'vitest'
import { stage } from '../../test/stage.ts'
import { maskInJobLog } from './job.ts'

function masked(values: Record<string, string>, env: Record<string, string>): string {
  const parts = stage(env, '/')
  maskInJobLog(new Map(Object.entries(values)), parts)
  return parts.seen.stderr
}

const GITHUB = { GITHUB_ACTIONS: 'true' }

test('each line of a value with at least four letters is masked once', () => {
  const values = { A: 'secret\r\nsecond\rthird\nsecret', B: 'true', C: 'yes', D: '  a  ', E: '100%0A' }
  expect(masked(values, GITHUB)).toBe(
    ['secret', 'second', 'third', 'true', '100%250A'].map((line) => `::add-mask::${line}\n`).join(''),
  )
})

test('values are masked only in GitHub Actions', () => {
  expect(masked({ A: 'secret' }, { GITLAB_CI: 'true' })).toBe('')
})
