import { afterEach, beforeEach, expect, test, vi } from 'vitest'

const ID = '7e4d7d0a-51b4-4a53-8f6e-2a2b7f1c9e04'
const replaceState = vi.fn()

async function pageAt(path: string) {
  const { pathname, search, hash } = new URL(path, 'https://keyferry.example')
  vi.stubGlobal('location', { pathname, search, hash })
  vi.stubGlobal('history', { state: null, replaceState })
  return await import('./workspace.ts')
}

beforeEach(() => vi.resetModules())
afterEach(() => {
  vi.unstubAllGlobals()
  replaceState.mockReset()
})

test.each([
  [`/w/${ID}`, ID],
  [`/w/${ID}/keys`, ID],
  ['/w/somewhere/keys', null],
  [`/w/${ID}x/keys`, null],
  ['/keys', null],
  ['/w', null],
  [`/approve/w/${ID}`, null],
])('the address %s names the workspace %s', async (path, id) => {
  expect((await pageAt(path)).pageWorkspace()).toBe(id)
})

test('an address without a workspace takes one, and keeps the rest', async () => {
  const { enterWorkspace, pageWorkspace } = await pageAt('/keys?filter=unused#x')
  enterWorkspace(ID)
  expect(pageWorkspace()).toBe(ID)
  expect(replaceState).toHaveBeenCalledWith(null, '', `/w/${ID}/keys?filter=unused#x`)
})

test('a page never changes its workspace', async () => {
  const { enterWorkspace, pageWorkspace } = await pageAt(`/w/${ID}/keys`)
  enterWorkspace('another')
  expect(pageWorkspace()).toBe(ID)
  expect(replaceState).not.toHaveBeenCalled()
})
