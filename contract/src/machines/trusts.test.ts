import { expect, test } from 'vitest'
import { missing, type TrustPlatform } from './trusts.ts'

const CASES: [TrustPlatform, string[], string[]][] = [
  ['github', [], ['project', 'place']],
  ['github', ['repository_id', 'environment'], []],
  ['github', ['repository_id', 'ref'], []],
  ['github', ['repository_id', 'job_workflow_ref'], []],
  ['github', ['repository_id', 'event_name'], ['place']],
  ['gitlab', ['project_id', 'ref'], ['place']],
  ['gitlab', ['project_id', 'ref', 'ref_protected'], []],
  ['gitlab', ['environment'], ['project']],
  ['kubernetes', [], ['subject']],
  ['other', ['sub'], []],
]

test.each(CASES)('a trust in %s that names %j lacks %j', (platform, names, lacking) => {
  expect(missing(platform, names).map(({ name }) => name)).toEqual(lacking)
})
