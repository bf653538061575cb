import { MASK } from '@keyferry/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { oneDatabase, startTestApi, type TestApi } from './api.ts'
import { ComposedLibrary, URL_TEMPLATE } from './composed-library.ts'

const COMPOSED = 'postgres://app:p%40ss@db.prod/app'

describe.each(oneDatabase)('importing over composed values on %s', (kind) => {
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
    prod = await library.bundle('prod/app')
    dev = await library.bundle('dev/app')
    url = await library.template('DATABASE_URL', URL_TEMPLATE)
    await library.attach(prod, url)
    await library.has(prod, 'DB_PASSWORD', 'p@ss')
    await library.has(prod, 'DB_HOST', 'db.prod', { is_secret: false })
  })

  const importing = async (bundle: string, values: Record<string, string>, options: object = {}) => {
    const entries = Object.entries(values).map(([name, value]) => ({ name, value }))
    const body = { bundle, entries, ...options }
    const { json, failure } = await api.call('importVariables', { as: library.owner, body })
    expect(failure).toBeNull()
    return new Map(json.plan.map((step) => [step.name, step]))
  }
  const actionOf = async (value: string, options: object = {}) =>
    (await importing('prod/app', { DATABASE_URL: value }, options)).get('DATABASE_URL')

  test('the value that the bundle composes is the same, and so is the mask', async () => {
    expect(await actionOf(COMPOSED)).toMatchObject({ action: 'same' })
    expect(await actionOf(MASK)).toMatchObject({ action: 'kept', choices: [] })
    expect(await library.readKey(url)).toMatchObject({ version: 1, is_template: true })
  })

  test('another value leaves the template, and the plan says so', async () => {
    for (const options of [{}, { replace: 'all' }, { share: ['DATABASE_URL'] }]) {
      expect(await actionOf('postgres://other', options)).toMatchObject({
        action: 'kept',
        template_parts: ['DB_PASSWORD', 'DB_HOST'],
        choices: ['replace'],
      })
    }
    expect((await library.exported(prod)).json).toMatchObject({ DATABASE_URL: COMPOSED })
  })

  test.for(['own', 'replace'])(
    'a template that %s names becomes an ordinary secret value',
    async (choice) => {
      expect(await actionOf('x${DB_HOST}', { [choice]: ['DATABASE_URL'] })).toMatchObject({
        action: 'update',
        is_secret: true,
      })
      expect(await library.readKey(url)).toMatchObject({ is_template: false, is_secret: true, version: 2 })
      expect((await library.exported(prod)).json).toMatchObject({ DATABASE_URL: 'x${DB_HOST}' })
    },
  )

  test('a shared template stays in the other bundles when one gets its own value', async () => {
    await library.attach(dev, url)
    expect(await actionOf('mine', { own: ['DATABASE_URL'] })).toMatchObject({
      action: 'own',
      is_secret: true,
    })
    expect((await library.exported(prod)).json).toMatchObject({ DATABASE_URL: 'mine' })
    expect(await library.readKey(url)).toMatchObject({ is_template: true, bundles: [{ name: 'dev/app' }] })
  })

  test('a shared template becomes an ordinary value in every bundle only by its name', async () => {
    await library.attach(dev, url)
    expect(await actionOf('x', { replace: 'all' })).toMatchObject({
      action: 'kept',
      choices: ['own', 'replace'],
    })
    expect(await actionOf('x', { replace: ['DATABASE_URL'] })).toMatchObject({ action: 'replace' })
    expect((await library.exported(dev)).json).toEqual({ DATABASE_URL: 'x' })
  })

  test('the value is compared with what the bundle composes after the import', async () => {
    const values = { DATABASE_URL: 'postgres://app:p%40ss@db.new/app', DB_HOST: 'db.new' }
    const plan = await importing('prod/app', values)
    expect([...plan.values()].map(({ action }) => action)).toEqual(['same', 'update'])
    expect((await library.exported(prod)).json).toMatchObject(values)
    const again = await importing('prod/app', values)
    expect([...again.values()].map(({ action }) => action)).toEqual(['same', 'same'])
  })

  test('a template of another bundle is no equal value; it is shared by name only', async () => {
    const text = { DATABASE_URL: URL_TEMPLATE }
    const own = (await importing('dev/app', text, { dry_run: true })).get('DATABASE_URL')
    expect(own).toMatchObject({ action: 'own', is_secret: true })
    const options = { share: ['DATABASE_URL'] }
    const shared = (await importing('dev/app', text, options)).get('DATABASE_URL')
    expect(shared).toMatchObject({ action: 'share', template_parts: ['DB_PASSWORD', 'DB_HOST'] })
    expect((await library.items(dev))[0]).toMatchObject({ missing_parts: ['DB_PASSWORD', 'DB_HOST'] })
  })

  test('an export that is imported again writes nothing', async () => {
    const { json } = await library.exported(prod)
    const plan = await importing('prod/app', json as Record<string, string>)
    expect([...plan.values()].map(({ action }) => action)).toEqual(['same', 'same', 'same'])
  })
})
