import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { type Place, useMatrixKeys } from './use-matrix-keys.ts'

/** What happens to the element of a place when the focus goes there. */
function goTo(place: Place): [found: string, ...done: [what: string, options: object][]] {
  let found = ''
  const done: [string, object][] = []
  const element = {
    focus: (options: object) => done.push(['focus', options]),
    scrollIntoView: (options: object) => done.push(['scrollIntoView', options]),
  }
  const querySelector = (selector: string) => {
    found = selector
    return element
  }
  let go: ReturnType<typeof useMatrixKeys>['go'] | undefined
  const Table = () => {
    const table = { current: { querySelector } }
    const parts = { table, rows: [], columns: 2, environments: [], added: null }
    go = useMatrixKeys(parts as never).go
    return null
  }
  renderToStaticMarkup(createElement(Table))
  go?.(place)
  return [found, ...done]
}

test('the element that takes the focus comes into view by the shortest way, down and sideways', () => {
  expect(goTo({ name: 'PORT', column: 2 })).toEqual([
    '[data-at="2 PORT"]',
    ['focus', { preventScroll: true }],
    ['scrollIntoView', { block: 'nearest', inline: 'nearest' }],
  ])
})
