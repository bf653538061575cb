import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Router } from 'wouter'
import type { KeyWithBundles } from '../../lib/calls/answers.ts'
import { KeyFacts } from './key-facts.tsx'

beforeEach(() => void vi.useFakeTimers({ now: Date.parse('2026-06-01T12:00:00.000Z') }))
afterEach(() => void vi.useRealTimers())

const KEPT = {
  expires_at: null,
  rotate_after_days: null,
  due: null,
  may_change: false,
  bundles: [],
  value_changed_elsewhere_at: null,
}

/** What the page says of the lifetime of a value. */
function said(lifetime: Partial<KeyWithBundles>): string | undefined {
  // What these facts read of a key.
  const item = { ...KEPT, ...lifetime } as KeyWithBundles
  const facts = createElement(KeyFacts, { item, hrefOf: (part) => part })
  const html = renderToStaticMarkup(createElement(() => Router({ ssrPath: '/', children: facts })))
  return /<p class="mt-1[^"]*">(.*?) <\/p>/.exec(html)?.[1]
}

test.each([
  ['no date', {}, 'The value does not expire.'],
  ['a far date', { expires_at: '2027-01-31T12:00:00.000Z' }, /2027, in 244 days\.$/],
  [
    'a near date',
    { expires_at: '2026-06-04T12:00:00.000Z', due: 'expiring', rotate_after_days: 30 },
    /, expires in 3 days\. Replace after 30 days\.$/,
  ],
  ['a number of days', { rotate_after_days: 90 }, 'Replace after 90 days.'],
  [
    'a value that is too old',
    { rotate_after_days: 90, due: 'rotate', value_set_at: '2026-01-01T12:00:00.000Z' },
    'Set 151 days ago, replace after 90 days.',
  ],
] as const)('a value with %s', (_, lifetime, text) => {
  if (typeof text === 'string') expect(said(lifetime)).toBe(text)
  else expect(said(lifetime)).toMatch(text)
})
