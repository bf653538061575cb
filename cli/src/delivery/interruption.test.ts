import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ScriptedServer, startScriptedServer } from '../../test/scripted-server.ts'
import { type Stage, stage } from '../../test/stage.ts'
import { deliver } from './deliver.ts'
import type { ValuesRequest } from './values-request.ts'

let server: ScriptedServer
let home: string

beforeEach(async () => {
  server = await startScriptedServer()
  home = mkdtempSync(join(tmpdir(), 'keyferry-withdraw-'))
})

afterEach(() => {
  server.close()
  rmSync(home, { recursive: true })
})

const request = (changes: Partial<ValuesRequest> = {}): ValuesRequest => ({
  server: server.url,
  bundle: 'dev/app',
  workspace: null,
  isWorkspaceFlag: false,
  folder: '/',
  acceptsAnyBundle: false,
  keys: [],
  optionalKeys: [],
  prefix: '',
  allowedNames: [],
  agent: null,
  as: null,
  isRemembered: false,
  use: { redaction: 'auto', flags: [] },
  requiredAssurance: null,
  receiptFile: null,
  reason: null,
  hidesQrCode: false,
  format: 'sh',
  command: ['true'],
  via: 'run',
  whyNotOpen: null,
  ...changes,
})

/** A delivery with a signal right after the server's answer at this path. `tidied` resolves when the signal was
 * handled; `used` becomes true if the delivery continues anyway. */
async function interrupted(at: RegExp, asking: ValuesRequest): Promise<{ scene: Stage; used: boolean }> {
  const plain = stage({ XDG_STATE_HOME: home, DISPLAY: ':0' }, home)
  const tidied = Promise.withResolvers<unknown>()
  const scene: Stage = {
    ...plain,
    exchange: async (call) => {
      const answer = await plain.exchange(call)
      if (at.test(call.url)) {
        const cleanUps = [...plain.seen.cleanUps].map(async (cleanUp) => await cleanUp())
        void Promise.all(cleanUps).then(tidied.resolve)
      }
      return answer
    },
  }
  let used = false
  const use = (): void => {
    used = true
  }
  void deliver(asking, scene).then(use, use)
  await tidied.promise
  await new Promise(setImmediate)
  return { scene, used }
}

test('a signal while the request is being made withdraws it, and the link is not shown', async () => {
  const { scene, used } = await interrupted(/\/requests$/, request())
  expect(server.withdrawn).toEqual([server.asked[0]?.id])
  expect(scene.seen.opened).toEqual([])
  expect(scene.seen.stderr).toBe('keyferry: request withdrawn\n')
  expect(used).toBe(false)
})

test('a delivery that comes together with the signal is not used', async () => {
  const { scene, used } = await interrupted(/\/wait/, request())
  expect(server.withdrawn).toHaveLength(1)
  expect(scene.seen.stderr).not.toContain('delivered')
  expect(used).toBe(false)
})
