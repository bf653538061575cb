// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, createElement } from 'react'
import { expect, onTestFinished, test } from 'vitest'
import { show } from '../../../test/shown.ts'
import { Attempt } from './attempt.tsx'

const CLAIMS = { repository: 'acme/web', repository_id: '789', environment: 'prod' }

type Parts = Parameters<typeof Attempt>[0]

/** Press claims of a refused call that suggests one. @returns the ticked claims, and whether Allow is enabled */
function ticking(...names: string[]) {
  const call = { last_at: new Date().toISOString(), times: 1, reason: 'no_trust', is_bound: false }
  const attempt = { ...call, issuer: 'https://ci.example', claims: CLAIMS, suggested: ['repository'] }
  const machine = { id: 'm1', name: 'deploy', grants: [] }
  const parts = { machine, attempt } as unknown as Parts
  const client = new QueryClient()
  onTestFinished(show(createElement(QueryClientProvider, { client }, createElement(Attempt, parts))))
  const boxes = () =>
    [...document.querySelectorAll('label')].map((label) => ({
      name: Object.keys(CLAIMS).find((claim) => label.textContent.startsWith(`${claim} `)) ?? '',
      input: label.querySelector('input'),
    }))
  for (const name of names)
    act(() =>
      boxes()
        .find((box) => box.name === name)
        ?.input?.click(),
    )
  const ticked = boxes().flatMap(({ name, input }) => (input?.checked ? [name] : []))
  const allow = [...document.querySelectorAll('button')].find((it) => it.textContent === 'Allow')
  return { ticked, mayAllow: allow?.disabled === false }
}

test.each<[string[], string[], boolean]>([
  [[], ['repository'], true],
  [['environment'], ['environment', 'repository'], true],
  [['environment', 'repository'], ['environment'], true],
  [['repository'], [], false],
  [['repository', 'repository'], ['repository'], true],
])('after pressing %j, the ticked claims are %j; Allow is enabled: %s', (names, ticked, mayAllow) => {
  const now = ticking(...names)
  expect({ ...now, ticked: now.ticked.toSorted() }).toEqual({ ticked, mayAllow })
})
