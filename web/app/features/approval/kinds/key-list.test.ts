import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { RequestBundle, RequestBundleItem } from '../../../lib/calls/answers.ts'
import { of } from '../../../test/static-words.ts'
import { KeyList } from './key-list.tsx'

/** What the list says once of all variables, above them. */
function saidOfAll(fact: Partial<RequestBundleItem>): string | undefined {
  // What this line reads of a bundle.
  const items = ['A', 'B'].map((key) => ({
    key,
    due: null,
    required: false,
    description: null,
    ...fact,
  })) as RequestBundleItem[]
  const choice = {
    bundle: { items } as RequestBundle,
    items,
    templateKeys: [],
    selected: new Set(['A']),
    onSelect: () => undefined,
  }
  const text = renderToStaticMarkup(createElement(KeyList, choice)).replaceAll(/<[^>]*>/g, ' ')
  return /1 of 2 selected\s+· all (.*?)\s\s/.exec(text)?.[1]
}

test.each<[string, Partial<RequestBundleItem>]>([
  ['not secret', {}],
  ['secret', { is_secret: true }],
  ['required, not secret', { required: true }],
  ['not secret, the shop', { description: 'the shop' }],
  ['not secret', { description: '' }],
  ['not secret', { description: null }],
  ['not secret, a rule of another bundle applies', { stricter: true }],
  ['version 3, not secret', { version: 3 }],
])('the facts of a variable: %s', (expected, fact) => {
  expect(saidOfAll(fact)).toBe(expected)
})

test('what deserves a second look is bold: what is due, and a recent change', () => {
  const old = { version: 1, changed: false, changed_at: '2026-01-01T12:00:00.000Z' }
  const first = {
    key: 'A',
    due: 'expired',
    required: true,
    is_secret: true,
    stricter: true,
    description: 'the shop',
  }
  const second = { key: 'B', due: null, required: false, is_secret: false, description: null }
  // What the list reads of a variable.
  const items = [
    { ...first, ...old, changed: true, changed_by: 'kim' },
    { ...second, ...old, version: 2, changed_at: '2026-02-01T12:00:00.000Z' },
    { ...second, key: 'C', version: 3 },
  ] as unknown as RequestBundleItem[]
  const bundle = { items } as RequestBundle
  const choice = { bundle, items, templateKeys: [], selected: new Set<string>(), onSelect: () => undefined }
  const html = renderToStaticMarkup(of(KeyList, choice))
  const facts = [...html.matchAll(/<bdi class="([^"]*)">([^<]*)</g)]
  const bold = facts.flatMap(([, look = '', text]) => (look.includes('font-semibold') ? text : []))
  expect(bold).toEqual([expect.stringMatching(/^changed .* by kim$/), 'expired'])
  expect(facts.map(([, , text]) => text)).toEqual(
    expect.arrayContaining([
      'version 3',
      'required',
      'secret',
      'not secret',
      'the shop',
      'a rule of another bundle applies',
    ]),
  )
})
