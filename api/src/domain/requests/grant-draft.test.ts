import { expect, test } from 'vitest'
import { GrantDraft } from './grant-draft.ts'

test('a draft that an older server kept is for one working tree, more than one run, and the first epoch', () => {
  const kept = { hours: 12, keys: ['URL'], leftOut: [], bundleNames: 'digest' }
  expect(GrantDraft.parse(kept)).toEqual({ ...kept, isForRepository: false, isOnce: false, epoch: 0 })
})
