import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { Router } from 'wouter'
import { DeliveryDetails } from './delivery-details.tsx'

const DELIVERY = {
  approver: { id: 'u1', name: 'sam' },
  machine: null,
  created_at: '2026-06-01T12:00:00.000Z',
  collected_at: null,
  label: null,
  via: null,
  state: 'approved',
  bundle: { id: 'b1', name: 'dev/app' },
  keys: [
    { id: 'k1', name: 'PORT', version: 2, current_version: 2 },
    { id: 'k2', name: 'TOKEN', version: 1, current_version: 3 },
    { id: 'k3', name: 'GONE', version: 1, current_version: null },
  ],
}

/** What the details of a delivery say. */
function said(given: object, legacy: readonly string[] = []): string {
  const client = new QueryClient()
  client.setQueryData(['getDelivery', { delivery_id: 'd1' }], { ...DELIVERY, ...given })
  const details = createElement(DeliveryDetails, { id: 'd1', legacy })
  const children = createElement(() => Router({ ssrPath: '/', children: details }))
  const page = createElement(() => QueryClientProvider({ client, children }))
  return renderToStaticMarkup(page)
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
}

const byMachine = (machine: object | null) => ({ approver: null, machine })

test.each<[string, object]>([
  ['Approved by sam, ', {}],
  ['Approved by a former user, ', { approver: { id: 'u1', name: null } }],
  ['Fetched by the machine ci-deploy, ', byMachine({ id: 'm1', name: 'ci-deploy' })],
  ['Fetched by the machine a deleted machine, ', byMachine(null)],
  ['For a terminal that did not say its name Collected', {}],
  ['for npm, by keyferry run', { label: { hostname: '', user: '', program: 'npm' }, via: 'run' }],
  ['Not confirmed: the terminal may have the values', {}],
  ['Held back until it is released', { state: 'held' }],
  ['No: these values never left the server', { state: 'void' }],
  ['Yes, ', { state: 'collected', collected_at: DELIVERY.created_at }],
])('the details of a delivery: %s', (text, given) => {
  expect(said(given)).toContain(text)
})

test('each value with its version, and whether it is current', () => {
  const text = said({}, ['OLD'])
  expect(text).toContain('4 values of dev/ app , 1 of them is still current')
  expect(text).toContain('PORT v2 · current TOKEN v1 · now v3 GONE v1 · variable deleted OLD old item')
})
