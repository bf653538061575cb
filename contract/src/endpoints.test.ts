import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Endpoint } from './endpoint.ts'
import { endpoints } from './endpoints.ts'
import { paramsOf } from './path-params.ts'

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

test.each(rows)('%s has an example of every body that travels, and the example is valid', (_, row) => {
  for (const schema of [row.body, ...Object.values(row.responses)]) {
    if (schema === undefined || schema instanceof z.ZodUnion) continue
    const examples = schema.meta()?.['examples'] as unknown[] | undefined
    expect(examples?.length).toBeGreaterThan(0)
    for (const example of examples ?? []) expect(schema.safeParse(example).error).toBeUndefined()
  }
})
