import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { Machine } from '../../lib/machines/answers.ts'
import { GrantedBundles } from './granted-bundles.tsx'

test('a machine without bundles: what it would get, and that it has none', () => {
  // What this section reads of such a machine.
  const machine = { id: '1', name: 'ci', grants: [] as Machine['grants'] } as Machine
  const client = new QueryClient()
  const section = createElement(GrantedBundles, { machine })
  const page = createElement(() => QueryClientProvider({ client, children: section }))
  const html = renderToStaticMarkup(page)
  expect(html).toContain(
    'The machine gets all variables of a bundle. To give it fewer, create a bundle with only those.',
  )
  expect(html).toContain('None yet.')
})
