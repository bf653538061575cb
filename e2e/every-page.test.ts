import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CHROMIUM } from './engines/chromium.ts'
import type { View } from './engines/engine.ts'
import { ENGINES, hasEngine } from './engines/engines.ts'
import { faultsOfPages, places, SIGNED_OUT, VIEWS } from './engines/walk.ts'
import { startWorld } from './engines/world.ts'

const ROUTES = join(import.meta.dirname, '../web/app/routes.tsx')

const fits = (view: View): View => ({ ...view, keepsRules: false })

let started: Awaited<ReturnType<typeof startWorld>>

beforeAll(async () => {
  started = await startWorld()
})
afterAll(async () => await started?.[Symbol.asyncDispose]())

test('the walk goes to each address of the app', async () => {
  const walked = [...places(started.world), ...SIGNED_OUT].map(([path]) => path)
  for (const [, route = ''] of (await readFile(ROUTES, 'utf8')).matchAll(/path="([^"]+)"/g)) {
    const pattern = route
      .replace(/\/:\w+\?/g, '(/.+)?')
      .replace(/:\w+/g, '[^/?]+')
      .replace('/*', '/.+')
    if (!route.startsWith('/invite/'))
      expect(walked, route).toContainEqual(expect.stringMatching(new RegExp(`^${pattern}$`)))
  }
})

// The trials walk in the other engines too.
const engines = process.env['TRIALS'] === undefined ? [CHROMIUM] : ENGINES

describe.each(engines)('in $name', (engine) => {
  describe.skipIf(!hasEngine(engine))('', () => {
    // The other two at the width that breaks most, without the rules of accessibility, which read the document alone.
    // `npm run faults -- pages` walks every view with all rules in each engine.
    const views =
      engine.name === 'Chromium' ? [VIEWS.wide, VIEWS.phone, fits(VIEWS.zoomed)] : [fits(VIEWS.phone)]

    test('every page fits, keeps the rules of accessibility and reports no error', async () => {
      expect(await faultsOfPages(engine, views, started)).toEqual([])
    })
  })
})
