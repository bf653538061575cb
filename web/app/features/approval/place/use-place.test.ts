import { createElement } from 'react'
import { expect, test } from 'vitest'
import { onPage, wordsOf } from '../../../test/static-words.ts'
import type { RequestView } from '../request-state.ts'
import { type ChosenPlace, usePlace } from './use-place.ts'

onPage('https://keyferry.example/approve/r1')

const WORKSPACES = [
  { id: 'h', name: 'Home' },
  { id: 'a', name: 'Acme' },
  { id: 'b', name: 'Acme' },
]

/** The place of a request for a bundle that only this workspace has. */
function placeIn(workspace: object): ChosenPlace | null {
  const request = {
    context: { suggested_bundle_id: 'dev/app', workspace: null, requester_meta: { user_agent: '' } },
    candidates: [{ workspace, bundle: { id: 'b1', name: 'dev/app' } }],
    person: { workspaces: WORKSPACES },
  }
  let place: ChosenPlace | null = null
  const Page = () => {
    place = usePlace({ requestId: 'r1', request } as unknown as RequestView, () => Promise.resolve({}))
    return null
  }
  wordsOf(createElement(Page))
  return place
}

test.each([
  ['h', 'Home'],
  ['a', 'Acme (a)'],
  ['b', 'Acme (b)'],
])('a request for a bundle of workspace %s names it %s', (id, workspaceName) => {
  const workspace = WORKSPACES.find((each) => each.id === id)
  expect(placeIn({ id })).toMatchObject({ workspaceId: id, bundleId: 'b1', workspace, workspaceName })
})
