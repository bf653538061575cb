import { afterEach, beforeEach, expect, test, vi } from 'vitest'

const ID = '7e4d7d0a-51b4-4a53-8f6e-2a2b7f1c9e04'

beforeEach(() => vi.resetModules())
afterEach(() => {
  vi.unstubAllGlobals()
  vi.resetModules()
})

/** The first steps of a person with this many workspaces, in one of them. */
async function firstSteps(workspaces: number): Promise<string> {
  const location = new URL(`https://keyferry.example/w/${ID}/`)
  vi.stubGlobal('location', location)
  vi.stubGlobal('window', { location })
  // Which workspace a page works in is read once, when the page loads.
  const { of, wordsOf } = await import('../../test/static-words.ts')
  const { FirstSteps } = await import('./first-steps.tsx')
  const tenants = Array.from({ length: workspaces }, (_, id) => ({ id, name: `W${id}` }))
  return wordsOf(of(FirstSteps), {
    answered: [
      ['getSession', {}, { auth_mode: 'local' }],
      ['listTenants', {}, tenants],
    ],
  })
}

test('the first import names the workspace of the page where there are several', async () => {
  expect(await firstSteps(2)).toMatch(new RegExp(`keyferry import .*--workspace ${ID}`))
  expect(await firstSteps(1)).toMatch(/keyferry import /)
  expect(await firstSteps(1)).not.toContain(ID)
})
