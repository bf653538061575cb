import { expect, test } from 'vitest'
import { z } from 'zod'
import { type Endpoint, failureStatuses, paramsOf } from './endpoint.ts'
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
