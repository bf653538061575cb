import { expect, test } from 'vitest'
import { changeOf, conflictsOf, type Edit, edited, NO_EDIT, rebased, yielded } from './edit.ts'

type Bundle = { name: string; description: string; tags: string }

const STORED: Bundle = { name: 'dev/app', description: 'before', tags: 'dev' }
const none: Edit<Bundle> = NO_EDIT

test('an edit sends what differs, with what the person saw of it', () => {
  expect(changeOf(none, STORED)).toBeNull()
  const edit = edited(none, STORED, { description: 'after' })
  expect(changeOf(edit, STORED)).toEqual({ description: 'after', expected: { description: 'before' } })
})

test('a field that is back to what is stored is no change', () => {
  const edit = edited(edited(none, STORED, { tags: 'web' }), STORED, { tags: 'dev' })
  expect(changeOf(edit, STORED)).toBeNull()
})

test('a field that another person changed is no conflict unless this person changed it too', () => {
  const edit = edited(none, STORED, { description: 'after' })
  const now = { ...STORED, tags: 'dev,production' }
  expect(conflictsOf(edit, now)).toEqual([])
  expect(changeOf(edit, now)).toEqual({ description: 'after', expected: { description: 'before' } })
})

test('typing on after another person changed the field keeps what was seen first', () => {
  const now = { ...STORED, tags: 'dev,production' }
  const edit = edited(edited(none, STORED, { tags: 'w' }), now, { tags: 'web' })
  expect(conflictsOf(edit, now)).toEqual([{ field: 'tags', theirs: 'dev,production', mine: 'web' }])
  expect(changeOf(edit, now)).toEqual({ tags: 'web', expected: { tags: 'dev' } })
})

test('who keeps their own text sends it over what they have now seen', () => {
  const now = { ...STORED, tags: 'dev,production' }
  const kept = rebased(edited(none, STORED, { tags: 'web' }), now)
  expect(conflictsOf(kept, now)).toEqual([])
  expect(changeOf(kept, now)).toEqual({ tags: 'web', expected: { tags: 'dev,production' } })
})

test('who gives up their own text keeps their other fields', () => {
  const now = { ...STORED, tags: 'dev,production' }
  const rest = yielded(edited(none, STORED, { tags: 'web', description: 'after' }), now)
  expect(changeOf(rest, now)).toEqual({ description: 'after', expected: { description: 'before' } })
})

test('two people who want the same are in no conflict', () => {
  const edit = edited(none, STORED, { tags: 'web' })
  const now = { ...STORED, tags: 'web' }
  expect(conflictsOf(edit, now)).toEqual([])
  expect(changeOf(edit, now)).toBeNull()
})
