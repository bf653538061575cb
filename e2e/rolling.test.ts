import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { hasPostgres } from '../plumbing/test/postgres.ts'
import { hasRedis } from '../plumbing/test/redis-server.ts'
import { callbackOf } from '../web/test/sign-in.ts'
import { TestBrowser } from '../web/test/test-browser.ts'
import { type ManyNodes, startManyNodes } from './many-nodes.ts'
import { hasProxy, type ProxyKind } from './nginx.ts'

const CALLERS = 3
const PAUSE_MS = 100
const NODES = ['api-1', 'web-1', 'api-2', 'web-2'] as const

let nodes: ManyNodes
afterEach(async () => await nodes?.close())

async function signedIn(): Promise<Record<string, string>> {
  const browser = new TestBrowser()
  await browser.request(await callbackOf(browser, { webUrl: nodes.publicUrl, subject: 'sam' }))
  const cookie = `__session=${browser.cookies(nodes.publicUrl).get('__session')}`
  return { cookie, origin: nodes.publicUrl, 'content-type': 'application/json' }
}

describe.each<ProxyKind>(['nginx', 'haproxy'])('four nodes behind %s', (proxy) => {
  const canRun = hasProxy(proxy) && hasPostgres() && hasRedis()

  test.skipIf(!canRun)('are restarted one after another, and no call fails', async () => {
    nodes = await startManyNodes(proxy, { DRAIN_SECONDS: '4' })
    const headers = await signedIn()
    const failed: unknown[] = []
    let stored = 0
    const over = new AbortController()
    const call = async (name: string) => {
      const body = JSON.stringify({ name, value: 'v' })
      const made = await fetch(`${nodes.publicUrl}/api/v1/keys`, { method: 'POST', headers, body })
      if (made.status !== 201) failed.push([made.status, await made.text()])
      else stored += 1
      const read = await fetch(`${nodes.publicUrl}/api/v1/me`, { headers })
      if (read.status !== 200) failed.push([read.status, await read.text()])
    }
    const callers = Array.from({ length: CALLERS }, async (_, caller) => {
      for (let n = 0; !over.signal.aborted; n++) {
        await call(`K_${caller}_${n}`).catch((error: unknown) => failed.push(error))
        await sleep(PAUSE_MS)
      }
    })
    for (const name of NODES) {
      const before = stored
      await nodes.kill(name, 'SIGTERM')
      await nodes.start(name)
      expect(stored, name).toBeGreaterThan(before)
    }
    over.abort()
    await Promise.all(callers)
    expect(failed).toEqual([])
    const listed = await fetch(`${nodes.publicUrl}/api/v1/keys?limit=1`, { headers })
    expect(Number(listed.headers.get('x-total-count'))).toBe(stored)
  })
})
