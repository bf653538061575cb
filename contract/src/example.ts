import type { z } from 'zod'
import { SAMPLES, THINGS } from './samples.ts'

type ExampleSchema = z.core.JSONSchema.BaseSchema

/** Where a value stands: the name of its field, and of the field or the schema around that. */
type FieldPlace = { readonly field: string; readonly of: string }

/** An example of what a schema describes: its own, or one with the fields that are required. A field that may be null
 * is null, unless it has a sample.
 * @param named the schemas that `$ref` names, by id */
export function exampleOf(
  schema: ExampleSchema,
  named: Readonly<Record<string, unknown>>,
  place: FieldPlace = { field: '', of: '' },
): unknown {
  const { $ref, oneOf, anyOf, type, examples, const: only, enum: choices } = schema
  if ($ref !== undefined) {
    const id = $ref.split('/').at(-1) ?? ''
    return exampleOf(named[id] as ExampleSchema, named, { field: place.field || id, of: place.of })
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

function made(
  schema: ExampleSchema,
  named: Readonly<Record<string, unknown>>,
  { field, of }: FieldPlace,
): unknown {
  const { type, items, properties = {}, required = [] } = schema
  if (Array.isArray(type)) return null
  if (type === 'array') return [exampleOf(items as ExampleSchema, named, { field, of })]
  if (type === 'boolean') return false
  if (type !== 'object') return type === 'string' ? field : 1
  return Object.fromEntries(
    required.map((each) => [
      each,
      exampleOf(properties[each] as ExampleSchema, named, { field: each, of: field }),
    ]),
  )
}

function hasSample(
  { $ref, type }: ExampleSchema,
  named: Readonly<Record<string, unknown>>,
  place: FieldPlace,
): boolean {
  const resolved = $ref === undefined ? type : (named[$ref.split('/').at(-1) ?? ''] as ExampleSchema).type
  return sampleOf(place, resolved) !== undefined
}

/** The sample of a field: its own, or that of the thing that it names, as `bundle_id` names a bundle. */
function sampleOf({ field, of }: FieldPlace, type: ExampleSchema['type']): unknown {
  const samples = [SAMPLES[`${of}.${field}`], SAMPLES[field], thingOf({ field, of })]
  const types: readonly unknown[] = [type].flat()
  return samples.find((sample) => types.includes(typeOf(sample)))
}

function typeOf(sample: unknown): string {
  if (Array.isArray(sample)) return 'array'
  return typeof sample === 'number' ? 'integer' : typeof sample
}

function thingOf({ field, of }: FieldPlace): string | undefined {
  const [, before, part] = /^(.*?)_?(id|name|by)$/.exec(field) ?? []
  const thing = THINGS.find(({ words }) => words.test(part === 'by' ? field : before || of))
  return part === undefined ? undefined : thing?.[part === 'name' ? 'name' : 'id']
}
