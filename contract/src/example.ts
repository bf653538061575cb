import type { z } from 'zod'
import { SAMPLES, THINGS } from './samples.ts'

type Schema = z.core.JSONSchema.BaseSchema

/** Where a value stands: the name of its field, and of the field or the schema around that. */
type Place = { readonly field: string; readonly of: string }

/** An example of what a schema describes: its own, or one with the fields that are required. A field that may be null
 * is null, unless it has a sample.
 * @param named the schemas that `$ref` names, by id */
export function exampleOf(
  schema: Schema,
  named: Readonly<Record<string, unknown>>,
  place: Place = { field: '', of: '' },
): unknown {
  const { $ref, oneOf, anyOf, type, examples, const: only, enum: choices } = schema
  if ($ref !== undefined) {
    const id = $ref.split('/').at(-1) ?? ''
    return exampleOf(named[id] as Schema, named, { field: place.field || id, of: place.of })
  }
  const [first, ...others] = oneOf ?? anyOf ?? []
  if (first !== undefined) {
    const isNull = others.some((each) => each.type === 'null') && !hasSample(first, named, place)
    return isNull ? null : exampleOf(first, named, place)
  }
  if (only !== undefined || choices !== undefined) return only ?? choices?.[0]
  const sample = sampleOf(place, type)
  if (sample !== undefined) return sample
  return Array.isArray(examples) ? examples[0] : made(schema, named, place)
}

function made(schema: Schema, named: Readonly<Record<string, unknown>>, { field, of }: Place): unknown {
  const { type, items, properties = {}, required = [] } = schema
  if (Array.isArray(type)) return null
  if (type === 'array') return [exampleOf(items as Schema, named, { field, of })]
  if (type === 'boolean') return false
  if (type !== 'object') return type === 'string' ? field : 1
  return Object.fromEntries(
    required.map((each) => [each, exampleOf(properties[each] as Schema, named, { field: each, of: field })]),
  )
}

function hasSample({ $ref, type }: Schema, named: Readonly<Record<string, unknown>>, place: Place): boolean {
  const resolved = $ref === undefined ? type : (named[$ref.split('/').at(-1) ?? ''] as Schema).type
  return sampleOf(place, resolved) !== undefined
}

/** The sample of a field: its own, or that of the thing that it names, as `bundle_id` names a bundle. */
function sampleOf({ field, of }: Place, type: Schema['type']): unknown {
  const samples = [SAMPLES[`${of}.${field}`], SAMPLES[field], thingOf({ field, of })]
  const types: readonly unknown[] = [type].flat()
  return samples.find((sample) => types.includes(typeOf(sample)))
}

function typeOf(sample: unknown): string {
  if (Array.isArray(sample)) return 'array'
  return typeof sample === 'number' ? 'integer' : typeof sample
}

function thingOf({ field, of }: Place): string | undefined {
  const [, before, part] = /^(.*?)_?(id|name|by)$/.exec(field) ?? []
  const thing = THINGS.find(({ words }) => words.test(part === 'by' ? field : before || of))
  return part === undefined ? undefined : thing?.[part === 'name' ? 'name' : 'id']
}
