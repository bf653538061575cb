import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { z } from 'zod'
import type { Endpoint } from './endpoint.ts'
import { endpoints } from './endpoints.ts'
import { openApiDocument } from './openapi.ts'

/*
 * What callers read when a field is wrong must match refusals.txt. After an intended change, run this test with -u and
 * read the difference.
 */

type Schema = {
  $ref?: string
  properties?: Record<string, Schema>
  items?: Schema
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
}

const LONG = 'x'.repeat(70_000)

/** Each field gets each of these once. */
const WRONG = [
  [undefined, null, true, false, -1, 0, 1.5, 1e12, '', ' x', 'x\0', LONG],
  [{}, { x: 1 }, [], [null], [1], [''], [LONG], ['x', 'x'], Array.from({ length: 3_000 }, (_, n) => `x${n}`)],
].flat(1)

const WRONG_WORDS = ['', 'x', '-1', '1.5', '999999999', LONG, '2027-01-31']

// The next version of zod may word it differently.
const OF_ZOD = /^Invalid input: expected/

const document = JSON.parse(JSON.stringify(openApiDocument('0.0.0')))

const schemaOf = ({ $ref, ...schema }: Schema): Schema =>
  $ref === undefined ? schema : schemaOf(document.components.schemas[$ref.split('/').at(-1) ?? ''])

/** All forms that something can have. */
function formsOf(schema: Schema): Schema[] {
  const resolved = schemaOf(schema)
  const { anyOf = [], oneOf = [], allOf = [] } = resolved
  return [resolved, ...[...anyOf, ...oneOf, ...allOf].flatMap(formsOf)]
}

/** Variants of a value in which one thing is wrong, also deep in it. */
function variantsOf(value: unknown, schema: Schema, wrong: readonly unknown[]): unknown[] {
  const forms = formsOf(schema)
  const choices = forms.flatMap((form) => form.enum ?? [])
  const members = forms.flatMap((form) => Object.entries(form.properties ?? {}))
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  const object = isObject ? value : {}
  const changed = members.flatMap(([name, member]) =>
    variantsOf(Reflect.get(object, name), member, wrong).map((variant) => ({ ...object, [name]: variant })),
  )
  const items = forms.flatMap((form) => (form.items ? [form.items] : []))
  const first: unknown = Array.isArray(value) ? value[0] : undefined
  const listed = items.flatMap((item) => variantsOf(first, item, wrong).map((variant) => [variant]))
  return [...wrong, ...choices, ...changed, ...listed]
}

function refusals(schema: z.ZodType, variants: readonly unknown[]): string[] {
  const issues = variants.flatMap((variant) => schema.safeParse(variant).error?.issues ?? [])
  const messages = issues.map(({ message }) => message).filter((message) => !OF_ZOD.test(message))
  return [...new Set(messages)].toSorted()
}

function refusalsOf({ method, path, body, query }: Endpoint): string[] {
  const { requestBody, parameters = [] } = document.paths[path][method.toLowerCase()]
  const media = requestBody?.content['application/json']
  const ofBody = body && media ? refusals(body, variantsOf(media.example, media.schema, WRONG)) : []
  const names: string[] = parameters.map(({ name }: { name: string }) => name)
  const queries = names.flatMap((name) => WRONG_WORDS.map((word) => ({ [name]: word })))
  return [...ofBody, ...(query ? refusals(query, queries) : [])]
}

test('callers read what is wrong with a field', async () => {
  const texts = Object.entries<Endpoint>(endpoints).map(([name, row]) =>
    [name, ...refusalsOf(row).map((message) => `  ${message}`)].join('\n'),
  )
  await expect(`${texts.join('\n')}\n`).toMatchFileSnapshot(join(import.meta.dirname, 'refusals.txt'))
})
