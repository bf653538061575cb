import { createElement } from 'react'
import { expect, test } from 'vitest'
import { of, onPage, wordsOf } from '../../test/static-words.ts'
import { ConflictNotice } from '../../ui/conflict-notice.tsx'
import { useKeyDraft } from './use-key-draft.ts'

onPage()

const ITEM = {
  id: 'k1',
  name: 'TOKEN',
  value: 'first',
  version: 1,
  is_secret: false,
  is_template: false,
  template_parts: [],
  description: '',
  expires_at: null,
  rotate_after_days: null,
  updated_at: '2026-06-01T11:00:00.000Z',
  updated_by_name: 'lee',
  may_show: true,
  bundles: [],
}

/** One person edits a key while another person changes it. @returns what the first person reads */
function conflict(
  theirs: object,
  mine: Parameters<ReturnType<typeof useKeyDraft>['set']>[0] | string,
  { isSecret = false, isSaving = false } = {},
): string {
  const Editor = ({ isLate = false }: { isLate?: boolean }) => {
    const item = { ...ITEM, is_secret: isSecret, ...(isSecret && { value: '*****' }) }
    const { set, setValue, notice } = useKeyDraft(isLate ? { ...item, version: 2, ...theirs } : item, {
      isSaving,
    })
    const type = () => (typeof mine === 'string' ? setValue({ text: mine }) : set(mine))
    return createElement('div', { onClick: type }, createElement(ConflictNotice, notice))
  }
  let isLate = false
  const Page = () => {
    const node = Editor({ isLate })
    isLate = true
    return node
  }
  return wordsOf(of(Page), { acts: { Page: [['onClick']] } })
}

test('of two new values of a secret, neither is shown', () => {
  const text = conflict({}, 'my secret', { isSecret: true })
  expect(text).toContain('Theirs: version 2, which no page shows . Yours: your new value .')
  expect(text).not.toContain('my secret')
})

test('two new values that may be read are both shown', () => {
  expect(conflict({ value: 'theirs' }, 'mine')).toContain('Theirs: “theirs” . Yours: “mine” .')
})

test('two new dates are shown as days', () => {
  const theirs = { expires_at: '2027-01-02T00:00:00.000Z' }
  const text = conflict(theirs, { expires_at: '2027-03-04T00:00:00.000Z' })
  expect(text).toContain('Theirs: 2027-01-02 . Yours: 2027-03-04 .')
  expect(text).toContain('lee')
})

test('a change that is on its way is no conflict with itself', () => {
  expect(conflict({ value: 'theirs' }, 'mine', { isSaving: true })).toBe('')
})
