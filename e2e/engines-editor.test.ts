import { createClient } from '@keyferry/contract/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../server/test/program.ts'
import { createLibrary } from './app-library.ts'
import type { EnginePage, RunningEngine } from './engines/engine.ts'
import { ENGINES, hasEngine } from './engines/engines.ts'
import { VIEWS } from './engines/walk.ts'
import { type RunningServer, startServer } from './start-server.ts'

const button = (name: string) => `//button[normalize-space()='${name}'][not(@aria-disabled='true')]`
const field = (label: string) =>
  `//*[self::input or self::textarea][@id=//label[normalize-space()='${label}']/@for]`

let server: RunningServer
let keyId: string
const folder = temporaryFolder()

beforeAll(async () => {
  server = await startServer()
  const { keys } = await createLibrary(server.url)
  keyId = keys.get('PORT') ?? ''
})
afterAll(async () => await server?.dispose())

const valuesOf = async (name: string) => {
  const call = createClient(server.url)
  const bundle = (await call('GET', '/api/v1/bundles')).find((each) => each.name === name)
  const params = { bundle_id: bundle?.id ?? '' }
  const { items } = await call('GET', '/api/v1/bundles/{bundle_id}', { params })
  return Object.fromEntries(items.map(({ key, value }) => [key, value]))
}

describe.each(ENGINES)('in $name', (engine) => {
  describe.skipIf(!hasEngine(engine))('', () => {
    let running: RunningEngine
    let page: EnginePage

    beforeAll(async () => {
      running = await engine.start({ folder: folder.path, publicPort: 1 })
      page = running.page
      await page.show(VIEWS.phone)
    })
    afterAll(async () => await running?.close())

    const isDrawn = () => page.run(`return document.querySelector('#page [aria-busy="false"]') !== null`)
    const drawn = async () => await expect.poll(isDrawn).toBe(true)

    test('a value is changed in its field, and undone', async () => {
      const before = (await valuesOf('dev/app'))['PORT']
      const value = `31${engine.name.length}`
      await page.goto(`${server.url}/keys/${keyId}/change`)
      await drawn()
      await page.type('(//form//textarea | //form//input)[1]', value)
      await page.click("//form//button[@type='submit']")
      await page.text("(//*[contains(text(), 'Saved PORT')])[1]")
      expect((await valuesOf('dev/app'))['PORT']).toContain(value)
      await page.click(button('Undo'))
      await expect.poll(async () => (await valuesOf('dev/app'))['PORT']).toBe(before)
    })

    test('a file is planned, and stored as the plan says', async () => {
      const name = `FROM_${engine.name.toUpperCase()}`
      await page.goto(`${server.url}/bundles/import?bundle=dev/app`)
      await drawn()
      await page.type(field('Content of the .env or JSON file'), `${name}=planted\n`)
      await page.text(`//li[contains(., '${name}')][contains(., 'New')]`)
      await page.click(button('Import 1 variable'))
      await page.text("//h2[normalize-space()='Imported']")
      expect(await valuesOf('dev/app')).toMatchObject({ [name]: '*****' })
    })
  })
})
