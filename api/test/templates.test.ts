import { LIMITS, MASK } from '@keyferry/contract'
import { literalTemplate } from '@keyferry/contract/env/template'
import * as fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { oneDatabase, startTestApi, type TestApi } from './api.ts'
import { ComposedLibrary, URL_TEMPLATE } from './composed-library.ts'

describe.each(oneDatabase)('composed values on %s', (kind) => {
  let api: TestApi
  let library: ComposedLibrary
  let dev: string
  let prod: string
  let url: string
  beforeAll(async () => {
    api = await startTestApi(kind, { devAllowPlaintext: true })
  })
  afterAll(() => api.close())
  beforeEach(async () => {
    library = new ComposedLibrary(api, await api.newOwner())
    dev = await library.bundle('dev/app')
    prod = await library.bundle('prod/app')
    url = await library.template('DATABASE_URL', URL_TEMPLATE)
    for (const bundle of [dev, prod]) await library.attach(bundle, url)
    await library.has(dev, 'DB_HOST', 'localhost', { is_secret: false })
    await library.has(prod, 'DB_HOST', 'db.prod', { is_secret: false })
    await library.has(prod, 'DB_PASSWORD', 'p@ss/1')
  })

  const itemOf = async (bundle: string, name: string) =>
    (await library.items(bundle)).find((item) => item.name === name)

  test('one template delivers to each bundle a value composed from that bundle', async () => {
    await library.has(dev, 'DB_PASSWORD', 'dev')
    const both = [(await library.exported(dev)).json, (await library.exported(prod)).json]
    expect(both).toMatchObject([
      { DATABASE_URL: 'postgres://app:dev@localhost/app' },
      { DATABASE_URL: 'postgres://app:p%40ss%2F1@db.prod/app' },
    ])
  })

  test('a key tells that it is a template and of which names', async () => {
    expect(await library.readKey(url)).toMatchObject({
      is_template: true,
      template_parts: ['DB_PASSWORD', 'DB_HOST'],
      value: URL_TEMPLATE,
    })
    const query = { target: url, action: 'key.created' } as const
    const { json } = await api.call('listAudit', { as: library.owner, query })
    expect(json.map(({ data }) => data)).toEqual([{ version: 1, is_secret: false, is_template: true }])
  })

  test('a template with a secret part is secret in every answer, even if it is marked public', async () => {
    expect(await itemOf(prod, 'DATABASE_URL')).toMatchObject({ is_secret: true, value: MASK })
    const params = { bundle_id: prod }
    const { json } = await api.call('listBundleKeys', { as: library.owner, params })
    expect(json.find(({ id }) => id === url)).toMatchObject({ is_secret: true, value: MASK })
    const masked = await library.exported(prod, { format: 'json' })
    expect(masked.json).toMatchObject({ DATABASE_URL: MASK, DB_HOST: 'db.prod' })
    expect((await library.exported(prod, { format: 'env' })).text).toContain(`DATABASE_URL=${MASK}`)
  })

  test('a template of public parts shows its value, until one of them is declared secret', async () => {
    const site = await library.template('SITE', 'https://${DB_HOST}/${DB_HOST}')
    await library.attach(dev, site)
    expect(await itemOf(dev, 'SITE')).toMatchObject({
      is_secret: false,
      value: 'https://localhost/localhost',
    })
    const host = (await library.items(dev)).find(({ name }) => name === 'DB_HOST')?.id ?? ''
    await library.update(host, { is_secret: true })
    expect(await itemOf(dev, 'SITE')).toMatchObject({ is_secret: true, value: MASK })
  })

  test('a bundle names the parts that it does not deliver, and refuses the export', async () => {
    expect(await itemOf(dev, 'DATABASE_URL')).toMatchObject({
      value: MASK,
      template_parts: ['DB_PASSWORD', 'DB_HOST'],
      missing_parts: ['DB_PASSWORD'],
    })
    for (const format of ['env', 'json']) {
      const { status, failure } = await library.exported(dev, { format })
      expect(status).toBe(400)
      expect(failure?.error).toContain('DATABASE_URL is built from DB_PASSWORD')
      expect(failure?.details).toEqual({ names: ['DATABASE_URL'], missing_parts: ['DB_PASSWORD'] })
    }
  })

  test('a template is no part of another, nor of itself', async () => {
    const site = await library.template('SITE', '${DATABASE_URL}${SITE}')
    await library.attach(prod, site)
    expect(await itemOf(prod, 'SITE')).toMatchObject({ missing_parts: ['DATABASE_URL', 'SITE'] })
  })

  test('a part can be a legacy item, unless a key hides it', async () => {
    const body = { key: 'DB_PASSWORD', value: 'from an item', is_secret: true }
    await api.call('upsertLegacyItem', { as: library.owner, params: { bundle_id: dev }, body })
    expect((await library.exported(dev)).json).toMatchObject({
      DATABASE_URL: 'postgres://app:from%20an%20item@localhost/app',
    })
    await library.has(dev, 'DB_PASSWORD', 'from a key')
    expect((await library.exported(dev)).json).toMatchObject({
      DATABASE_URL: 'postgres://app:from%20a%20key@localhost/app',
    })
  })

  test('an ordinary value stays byte for byte, also where it looks like a template', async () => {
    await library.has(prod, 'MOTD', 'Hello ${DB_HOST} $${X}')
    expect((await library.exported(prod)).json).toMatchObject({ MOTD: 'Hello ${DB_HOST} $${X}' })
    expect(await itemOf(prod, 'MOTD')).not.toHaveProperty('template_parts')
  })

  test('long values are composed too, in the stream of an export', async () => {
    const long = 'x'.repeat(20_000)
    await library.has(prod, 'LONG', long, { is_secret: false })
    for (let index = 0; index < 20; index++) {
      const key = await library.template(`TWICE_${index}`, '<${LONG}|${DB_HOST}>')
      await library.attach(prod, key)
    }
    const { json } = await library.exported(prod)
    expect(json).toMatchObject({ TWICE_0: `<${long}|db.prod>`, TWICE_19: `<${long}|db.prod>` })
    expect(await itemOf(prod, 'TWICE_7')).toMatchObject({ value: `<${long}|db.prod>`, is_secret: false })
    const params = { bundle_id: prod }
    const { json: keys } = await api.call('listBundleKeys', { as: library.owner, params })
    expect(keys.find(({ name }) => name === 'TWICE_7')?.value).toBe(`<${long}|db.prod>`)
    const masked = await library.exported(prod, { format: 'json' })
    expect(masked.json).toMatchObject({ TWICE_3: `<${long}|db.prod>`, DATABASE_URL: MASK })
    const env = await library.exported(prod, { format: 'env', reveal: '1' })
    expect(env.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(env.text).toContain(`TWICE_19='<${long}|db.prod>'\n`)
  })

  test('a composed value that is too long refuses the export, before the first byte', async () => {
    await library.has(prod, 'LONG', 'x'.repeat(LIMITS.valueBytes / 2 + 1), { is_secret: false })
    await library.attach(prod, await library.template('TWICE', '${LONG}${LONG}'))
    const { status, failure } = await library.exported(prod)
    expect([status, failure?.details]).toEqual([400, { names: ['TWICE'] }])
    expect(failure?.error).toContain('longer than 65536 bytes')
    expect(await itemOf(prod, 'TWICE')).toMatchObject({ value: MASK, missing_parts: [] })
  })

  test.for([
    ['${A', 'character 1'],
    ['x ${A|url}', 'character 3'],
    ['${A}'.repeat(33), 'at most 32 parts'],
  ] as const)('%j is not taken as a template', async ([value, problem]) => {
    const body = { name: 'BROKEN', value, is_template: true }
    const made = await api.call('createKey', { as: library.owner, body })
    expect([made.status, made.failure?.details]).toEqual([400, { field: 'value' }])
    expect(made.failure?.error).toContain(problem)
    expect((await library.update(url, { value })).status).toBe(400)
    expect((await library.update(await library.key('PLAIN', value), { is_template: true })).status).toBe(400)
    expect(await library.readKey(url)).toMatchObject({ value: URL_TEMPLATE, version: 1 })
  })

  test('a text that becomes a template is a new version, and an event; restoring brings the kind back', async () => {
    const key = await library.key('SITE', 'https://${DB_HOST}', { is_secret: false })
    await library.attach(prod, key)
    expect((await library.update(key, { is_template: true })).json).toMatchObject({
      version: 2,
      is_template: true,
    })
    expect((await library.exported(prod)).json).toMatchObject({ SITE: 'https://db.prod' })
    expect((await library.update(key, { is_template: true })).json.version).toBe(2)
    const params = { key_id: key }
    const restored = await api.call('restoreKeyVersion', { as: library.owner, params, body: { version: 1 } })
    expect(restored.json).toMatchObject({ version: 3, is_template: false, template_parts: [] })
    expect((await library.exported(prod)).json).toMatchObject({ SITE: 'https://${DB_HOST}' })
    const { json: versions } = await api.call('listKeyVersions', { as: library.owner, params })
    expect(versions.map(({ is_template }) => is_template)).toEqual([false, true, false])
    await expect
      .poll(async () => (await api.call('listAudit', { as: library.owner })).text)
      .toContain('"is_template":true')
  })

  test('a mark changes without a new version, and the value still opens', async () => {
    expect((await library.update(url, { is_secret: true })).json).toMatchObject({ version: 1, value: MASK })
    expect((await library.update(url, { is_secret: false })).json.value).toBe(URL_TEMPLATE)
  })

  test('a split and a duplicate copy a template as a template, and take another value as it is', async () => {
    const params = { bundle_id: prod, key_id: url }
    const copy = (await api.call('splitKey', { as: library.owner, params, body: {} })).json
    expect(copy).toMatchObject({ is_template: true, value: URL_TEMPLATE })
    const values = { DATABASE_URL: 'sqlite:${x}' }
    const body = { name: 'staging/app', own: ['DB_HOST'], values }
    const duplicate = await api.call('duplicateBundle', {
      as: library.owner,
      params: { bundle_id: prod },
      body,
    })
    expect((await library.exported(duplicate.json.id)).json).toMatchObject(values)
    const [item] = await library.items(duplicate.json.id)
    expect(await library.readKey(item?.id ?? '')).toMatchObject({ is_template: false, is_secret: true })
  })

  test('Compare tells which cells are composed', async () => {
    const query: [string, string][] = [dev, prod].map((id) => ['bundle_id', id])
    const { json } = await api.call('compareBundles', { as: library.owner, query })
    const parts = { state: 'shared', template_parts: ['DB_PASSWORD', 'DB_HOST'] }
    expect(json.rows.find(({ name }) => name === 'DATABASE_URL')?.cells).toMatchObject([parts, parts])
    expect(json.rows.find(({ name }) => name === 'DB_HOST')?.cells[0]).not.toHaveProperty('template_parts')
  })

  test('a literal template delivers any text unchanged', async () => {
    const key = await library.template('ANY', '')
    await library.attach(prod, key)
    const anyText = fc.string({ unit: fc.constantFrom('$', '{', '}', 'DB_HOST', 'ä', '\n', ' ', '|uri') })
    const check = async (text: string) => {
      expect((await library.update(key, { value: literalTemplate(text) })).failure).toBeNull()
      expect((await library.exported(prod)).json).toMatchObject({ ANY: text })
    }
    await fc.assert(fc.asyncProperty(anyText, check), { numRuns: 25 })
  })
})
