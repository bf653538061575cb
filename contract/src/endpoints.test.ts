import { expect, test } from 'vitest'
import { z } from 'zod'
import { type Endpoint, failureStatuses, GET, POST, paramsOf } from './endpoint.ts'
import { endpoints } from './endpoints.ts'
import { ComponentSchemas } from './openapi-schemas.ts'

const rows: [string, Endpoint][] = Object.entries(endpoints)

test('no two endpoints share a method and path', () => {
  const places = rows.map(([, row]) => `${row.method} ${row.path}`)
  expect(new Set(places).size).toBe(places.length)
})

test.each(rows)('%s has a schema for exactly the parameters of its path', (_, row) => {
  const inPath = [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
  const schema = paramsOf(row)
  expect(schema instanceof z.ZodObject ? Object.keys(schema.shape) : []).toEqual(inPath)
})

test.each(rows)('%s names no failure that its access and its parts imply', (_, { errors = [], ...row }) => {
  const implied = failureStatuses(row)
  expect(errors.filter((status) => implied.includes(status))).toEqual([])
})

const isReadWithoutInput = ({ method, path, query, errors = [] }: Endpoint) =>
  method === 'GET' && !path.includes('{') && !query && !errors.includes(400)

test.each(rows.filter(([, row]) => isReadWithoutInput(row)))(
  '%s, a read without input, answers no 400',
  (_, row) => {
    expect(failureStatuses(row)).not.toContain(400)
  },
)

const HAS_PERSON = new Set<Endpoint['access']>(['session', 'member', 'owner'])

test.each(rows)('%s says exactly if a person writes what decides about a signature', (_, row) => {
  const isWrite = row.method !== 'GET' && row.layer !== 'web' && HAS_PERSON.has(row.access)
  expect(row.touch !== undefined).toBe(isWrite)
})

test('a row does not compile without it, nor another row with it', () => {
  // @ts-expect-error: a member writes
  POST('/api/v1/x', 'member', { summary: 'x' })
  // @ts-expect-error: the column has no such word
  POST('/api/v1/x', 'owner', { summary: 'x', touch: 'maybe' })
  // @ts-expect-error: a read
  GET('/api/v1/x', 'member', { summary: 'x', touch: 'key' })
  // @ts-expect-error: no person
  POST('/api/v1/x', 'public', { summary: 'x', touch: 'key' })
  expect(POST('/x', 'session', { layer: 'web', summary: 'x' })).not.toHaveProperty('touch')
})

const bodies = rows.flatMap(([name, { body, responses }]) => [
  ...(body === undefined ? [] : [[`the body of ${name}`, body, 'input'] as const]),
  ...Object.entries(responses).map(([status, schema]) => [`${name} ${status}`, schema, 'output'] as const),
])

test.each(bodies)('the example of %s is valid', (_, schema, io) => {
  const { example } = new ComponentSchemas().media(schema, io)
  expect(schema.safeParse(example).error).toBeUndefined()
})

test.each(bodies)('no text of the example of %s is the name of its field', (_, schema, io) => {
  const unnamed: string[] = []
  JSON.stringify(new ComponentSchemas().media(schema, io)['example'], (field, value) => {
    if (field !== '' && [value].flat().includes(field)) unnamed.push(field)
    return value
  })
  expect(unnamed).toEqual([])
})
