import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { RequestBundle, RequestBundleItem } from '../../../lib/calls/answers.ts'
import { KeyChoice } from './key-choice.tsx'

const changedBy = (key: string, by: string | null) => ({ key, changed: true, changed_by: by })

/** The line of a bundle with these variables, all of them selected but `left`. */
function line(
  some: readonly object[],
  last_approved_at: string | null = '2026-06-01T12:00:00.000Z',
  left: readonly string[] = [],
): string {
  // What this line reads of a bundle.
  const items = some as RequestBundleItem[]
  const choice = {
    bundle: { items, last_approved_at } as RequestBundle,
    items,
    templateKeys: [],
    selected: new Set(items.map(({ key }) => key).filter((key) => !left.includes(key))),
    onSelect: () => undefined,
  }
  return renderToStaticMarkup(createElement(KeyChoice, choice)).replaceAll(/<[^>]*>/g, '')
}

test.each([
  ['by a person', [changedBy('A', 'kim')], 'A by kim'],
  ['by a person who left', [changedBy('A', null)], 'A by a former member'],
  ['more than two', ['A', 'B', 'C'].map((key) => changedBy(key, 'lee')), 'A by lee, B by lee and 1 more'],
])('the line says who changed a value: %s', (_, items, text) => {
  expect(line(items)).toContain(`${items.length} changed since you last approved${text}`)
})

test('without a change it says so, and the first approval says that', () => {
  expect(line([{ key: 'A' }])).toContain('1 variable, unchanged since you last approved')
  expect(line([{ key: 'A' }], null)).toContain('1 variable, your first approval of this bundle')
})

test('a change of a variable that is not selected is not said', () => {
  const both = [changedBy('A', 'kim'), changedBy('B', 'lee')]
  expect(line(both, undefined, ['B'])).toMatch(/1 of 2 variables, 1 changed since you last approvedA by kim/)
  expect(line(both, undefined, ['B'])).not.toContain('lee')
})
