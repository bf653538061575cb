import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { of, onPage } from '../../../test/static-words.ts'
import { CellDetails } from './cell-details.tsx'

onPage()

const FACTS = {
  version: 1,
  set_at: '2026-05-01T12:00:00.000Z',
  set_by: { name: 'kim' },
  expires_at: null,
  due: null,
  used_in_bundles: 1,
  required: false,
  older_holders: 0,
  missing_parts: [],
  may_change: true,
  may_show: true,
  may_detach: true,
}
const BUNDLE = { id: 'b1', name: 'dev/shop', label: 'dev', may_edit: false }

/** The label of the button that changes the value, and whether it has a frame. */
function changeButton(facts: object): unknown {
  const client = new QueryClient({ defaultOptions: { queries: { retryOnMount: false } } })
  client.setQueryData(['getMe', {}], { may: [] })
  const cell = { bundle_id: 'b1', state: 'own', key_id: null, facts }
  const parts = {
    facts: { ...FACTS, ...facts },
    cell,
    bundle: BUNDLE,
    column: 0,
    row: { name: 'PORT', cells: [cell] },
    environments: [BUNDLE],
    changes: {},
    onEdit: () => undefined,
  }
  const details = createElement(QueryClientProvider, { client }, of(CellDetails, parts))
  const [button = ''] = /<button[^>]* in dev"[^>]*>/.exec(renderToStaticMarkup(details)) ?? []
  return [/aria-label="(\w+) PORT/.exec(button)?.[1], button.includes('border-edge')]
}

test('only the button of a value that needs a new one has a frame', () => {
  expect(changeButton({})).toEqual(['Change', false])
  expect(changeButton({ due: 'rotate' })).toEqual(['Rotate', true])
  expect(changeButton({ older_holders: 1 })).toEqual(['Rotate', true])
})
