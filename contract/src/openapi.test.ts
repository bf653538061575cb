import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Endpoint } from './endpoint.ts'
import { endpoints } from './endpoints.ts'
import { openApiDocument } from './openapi.ts'
import { ComponentSchemas } from './openapi-schemas.ts'
import { WORKSPACE_HEADER } from './schemas/tenant.ts'

test('every endpoint of the table is an operation with an example of each body', () => {
  const document = JSON.parse(JSON.stringify(openApiDocument('0.0.0')))
  for (const [name, row] of Object.entries<Endpoint>(endpoints)) {
    const operation = document.paths[row.path][row.method.toLowerCase()]
    expect(operation.operationId).toBe(name)
    const bodies = [operation.requestBody, ...Object.values(operation.responses)].filter(Boolean)
    for (const { content = {} } of bodies) {
      for (const media of Object.values(content)) expect(media, name).toHaveProperty('example')
    }
  }
})

test('every operation has one of the described tags', () => {
  const document = JSON.parse(JSON.stringify(openApiDocument('0.0.0')))
  const described = document.tags.map(({ name }: { name: string }) => name)
  for (const [name, row] of Object.entries<Endpoint>(endpoints)) {
    const [tag] = document.paths[row.path][row.method.toLowerCase()].tags
    expect(described, name).toContain(tag)
  }
})

test.each([
  ['listKeys', true],
  ['getMe', true],
  ['changePassword', false],
  ['getSetup', false],
  ['showSignIn', false],
] as const)('%s says that a call can name its workspace: %s', (name, says) => {
  const document = JSON.parse(JSON.stringify(openApiDocument('0.0.0')))
  const { path, method } = endpoints[name]
  const { parameters } = document.paths[path][method.toLowerCase()]
  const headers = parameters.filter((each: { in: string }) => each.in === 'header')
  expect(headers.some((each: { name: string }) => each.name === WORKSPACE_HEADER)).toBe(says)
})

const named = (schema: z.ZodType) => z.object({ name: schema.meta({ id: 'Name' }) })

test('an id stands for one schema', () => {
  const schemas = new ComponentSchemas()
  schemas.media(named(z.string()), 'input')
  schemas.media(named(z.string()), 'output')
  expect(() => schemas.media(named(z.object({})), 'output')).toThrow('two schemas have the id Name')
})

test('the bundle of a delivery is an id and a name', () => {
  const { schemas } = JSON.parse(JSON.stringify(openApiDocument('0.0.0'))).components
  const ready = schemas.WaitResult.oneOf.find((each: { properties: object }) => 'bundle' in each.properties)
  expect(schemas[ready.properties.bundle.$ref.split('/').at(-1)]).toMatchObject({
    type: 'object',
    required: ['id', 'name'],
  })
})

const isResponses = (each: Record<string, unknown>) => '400' in each || '503' in each

test('no schema has a default, and every pattern compiles without Unicode properties', () => {
  const schemas: Record<string, unknown>[] = []
  JSON.stringify(openApiDocument('0.0.0'), (_name, value) => {
    if (typeof value === 'object' && value !== null) schemas.push(value)
    return value
  })
  const patterns = schemas.flatMap(({ pattern }) => (typeof pattern === 'string' ? [pattern] : []))
  expect(patterns.length).toBeGreaterThan(3)
  expect(patterns.filter((pattern) => /\\[pPu]\{/.test(pattern))).toEqual([])
  expect(schemas.filter((each) => 'default' in each && !isResponses(each))).toEqual([])
  const { format } = JSON.parse(JSON.stringify(openApiDocument('0.0.0'))).components.schemas.CreateRequest
    .properties
  expect(format.description).toBe('Default: "sh"')
})

type Schema = { description?: string; properties?: Record<string, { description?: string; $ref?: string }> }

test('the doc comment of a schema describes it and its fields', () => {
  const { schemas } = JSON.parse(JSON.stringify(openApiDocument('0.0.0'))).components
  expect(schemas.Key.description).toBe('A library entry.')
  expect(schemas.Key.properties.template_parts.description).toBe('The names in it.')
  expect(schemas.CreateRequest.properties.client_pubkey.description).toContain('X25519')
  const fields = Object.values<Schema>(schemas).flatMap(({ properties = {} }) => Object.values(properties))
  const described = fields.filter(({ description, $ref }) => description !== undefined || $ref !== undefined)
  expect(described.length / fields.length).toBeGreaterThan(0.6)
})

test('each answer says what its status means', () => {
  const document = JSON.parse(JSON.stringify(openApiDocument('0.0.0')))
  const answers = Object.values<object>(document.paths).flatMap((path) =>
    Object.values(path).flatMap(({ responses }) => Object.entries<{ description: string }>(responses ?? {})),
  )
  expect(Object.fromEntries(answers.map(([status, { description }]) => [status, description]))).toEqual({
    200: 'Done',
    201: 'Created',
    202: 'Queued',
    204: 'Done',
    400: 'Something in the request is missing or invalid',
    401: 'No valid session or signature',
    403: 'The caller may not do this',
    404: 'Not found, here or for this caller',
    409: 'It contradicts what is there',
    413: 'Too large',
    429: 'Too many requests; Retry-After says when to try again',
    500: 'The server made a mistake',
    503: 'A store is unavailable; Retry-After says when to try again',
    default: 'A page, or a redirect',
  })
})
