import { type ApiEndpointName, apiEndpoints, type Endpoint } from '@keyferry/contract'
import type { Arbitrary } from 'fast-check'
import * as fc from 'fast-check'
import { z } from 'zod'

type Schema = z.core.JSONSchema.BaseSchema

/** One request as it goes out, its path filled in. `as`: who signs it. */
export type FuzzedCall = {
  name: ApiEndpointName
  path: string
  headers: Record<string, string>
  body: string | null
  as: 'owner' | 'nobody'
}

const HOSTILE_TEXTS = [
  '',
  '\0',
  '\ud800',
  '__proto__',
  'constructor',
  '%00',
  '../../etc/passwd',
  "' or 1=1 --",
  '%',
  '_',
  '\u202e',
  'a'.repeat(300),
  'é'.repeat(70_000),
  '*****',
  '1e999',
  'null',
]

const text = fc.oneof(fc.constantFrom(...HOSTILE_TEXTS), fc.string(), fc.string({ unit: 'binary' }))
const anything = fc.oneof(
  text,
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(null, -1, 1e308, Number.MAX_SAFE_INTEGER, [], {}, true),
)

/** Bodies of an endpoint: mostly of its schema's shape with parts missing, replaced or added. */
function bodyOf(schema: z.ZodType): Arbitrary<string | null> {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  const definitions = json.$defs ?? {}
  const shaped = shapeOf(json, definitions).map((value) => JSON.stringify(value) ?? '')
  return fc.oneof(
    { weight: 8, arbitrary: shaped },
    { weight: 2, arbitrary: anything.map((value) => JSON.stringify(value) ?? '') },
    { weight: 1, arbitrary: fc.string() },
    { weight: 1, arbitrary: fc.constant(null) },
  )
}

function shapeOf(schema: Schema, definitions: Readonly<Record<string, Schema>>): Arbitrary<unknown> {
  const named = definitions[schema.$ref?.replace('#/$defs/', '') ?? '']
  if (named) return shapeOf(named, definitions)
  return fc.oneof({ weight: 6, arbitrary: validOf(schema, definitions) }, { weight: 1, arbitrary: anything })
}

function validOf(schema: Schema, definitions: Readonly<Record<string, Schema>>): Arbitrary<unknown> {
  const choices = schema.oneOf ?? schema.anyOf
  if (choices) return fc.oneof(...choices.map((choice) => shapeOf(choice, definitions)))
  if (schema.enum) return fc.constantFrom<unknown>(...schema.enum)
  if (schema.const !== undefined) return fc.constant<unknown>(schema.const)
  if (schema.type === 'string') return textOf(schema)
  if (schema.type === 'integer' || schema.type === 'number') return fc.integer({ min: -2, max: 2_000 })
  if (schema.type === 'boolean') return fc.boolean()
  if (schema.type === 'array') return fc.array(itemsOf(schema, definitions), { maxLength: 5 })
  if (schema.type === 'object') return objectOf(schema, definitions)
  return anything
}

function textOf({ pattern, format, examples }: Schema): Arbitrary<string> {
  const known = (examples ?? []).filter((example) => typeof example === 'string')
  if (known.length > 0) return fc.constantFrom(...known)
  if (format === 'uuid') return fc.uuid()
  if (format === 'email') return fc.emailAddress()
  return pattern === undefined ? text : matching(pattern)
}

const knownPatterns = new Map<string, Arbitrary<string>>()

// Making one of a class such as \P{Cc} lists every character of Unicode, which takes a second.
function matching(pattern: string): Arbitrary<string> {
  const known = knownPatterns.get(pattern) ?? fc.stringMatching(new RegExp(pattern, 'u'))
  knownPatterns.set(pattern, known)
  return known
}

function itemsOf({ items }: Schema, definitions: Readonly<Record<string, Schema>>): Arbitrary<unknown> {
  return typeof items === 'object' && !Array.isArray(items) ? shapeOf(items, definitions) : anything
}

function objectOf(schema: Schema, definitions: Readonly<Record<string, Schema>>): Arbitrary<unknown> {
  if (!schema.properties) return fc.dictionary(text, anything, { maxKeys: 5 })
  const fields = Object.entries(schema.properties).map(([name, property]) => [
    name,
    typeof property === 'boolean' ? anything : shapeOf(property, definitions),
  ])
  const known = fc.record<Record<string, unknown>>(Object.fromEntries(fields), { requiredKeys: [] })
  const extra = fc.dictionary(text, anything, { maxKeys: 1 })
  return fc.oneof(
    { weight: 5, arbitrary: known },
    { weight: 1, arbitrary: fc.tuple(known, extra).map(merged) },
  )
}

function merged([known, extra]: [Record<string, unknown>, Record<string, unknown>]): Record<string, unknown> {
  return { ...extra, ...known }
}

const CHARACTERS_OF_HEADERS = /^[\t\x20-\x7e]*$/

/** Requests to an endpoint of which some are right and most are not. `known` contains ids that exist. */
export function callsOf(
  name: ApiEndpointName,
  known: Readonly<Record<string, string>>,
): Arbitrary<FuzzedCall> {
  const row: Endpoint = apiEndpoints[name]
  return fc.record({
    name: fc.constant(name),
    path: fc.tuple(pathOf(row, known), queryOf(row)).map(([path, query]) => path + query),
    headers: headersOf(row),
    body: row.body ? bodyOf(row.body) : fc.constant(null),
    as: fc.constantFrom('owner', 'owner', 'owner', 'nobody'),
  })
}

function pathOf({ path }: Endpoint, known: Readonly<Record<string, string>>): Arbitrary<string> {
  const parts = path.split(/\{(\w+)\}/)
  const filled = parts.map((part, index) => (index % 2 === 0 ? fc.constant(part) : parameterOf(known[part])))
  return fc.tuple(...filled).map((each) => each.join(''))
}

function parameterOf(known: string | undefined): Arbitrary<string> {
  const escaped = text
    .filter((value) => value.length < 1_000)
    .map((value) => encodeURIComponent(value.toWellFormed()))
  const wild = fc.oneof(escaped, fc.constantFrom('%', '%zz', '%ff', '.', '..', '%2f', '%2e%2e', '?', '//'))
  return known === undefined ? wild : fc.oneof(fc.constant(encodeURIComponent(known)), wild)
}

function queryOf({ query }: Endpoint): Arbitrary<string> {
  if (!query) return fc.constantFrom('', '?', '?a=b&a=c')
  const { properties = {} } = z.toJSONSchema(query, { io: 'input', unrepresentable: 'any' })
  const names = fc.constantFrom(...Object.keys(properties), 'unknown')
  const values = fc.oneof(
    text.filter((value) => value.length < 1_000),
    fc.integer().map(String),
    fc.constantFrom('0', '1', 'env', 'json'),
  )
  const pair = fc
    .tuple(names, values)
    .map(([key, value]) => `${key}=${encodeURIComponent(value.toWellFormed())}`)
  return fc.array(pair, { maxLength: 3 }).map((pairs) => (pairs.length === 0 ? '' : `?${pairs.join('&')}`))
}

function headersOf({ headers }: Endpoint): Arbitrary<Record<string, string>> {
  const declared = headers instanceof z.ZodObject ? Object.keys(headers.shape) : []
  const names = fc.constantFrom(
    ...declared,
    'content-type',
    'accept',
    'x-user-id',
    'x-signature-v2',
    'x-request-id',
  )
  const values = fc
    .oneof(text, fc.constantFrom('application/json', 'text/plain'))
    .filter((value) => CHARACTERS_OF_HEADERS.test(value))
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.dictionary(names, values, { maxKeys: 2 }) },
  )
}
