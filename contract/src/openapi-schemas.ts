import { z } from 'zod'
import { exampleOf } from './example.ts'
import { described } from './openapi-texts.ts'

type Io = 'input' | 'output'
type JsonSchema = z.core.JSONSchema.BaseSchema
type ObjectSchema = { properties: Record<string, unknown>; required: readonly string[] }

/** The named schemas of one OpenAPI document, collected from the bodies and parameters that use them. */
export class ComponentSchemas {
  readonly byId: Record<string, unknown> = {}

  /** A body as OpenAPI has it: its schema, and an example.
   * @throws Error: another schema has the same id */
  media(schema: unknown, io: Io): Readonly<Record<string, unknown>> {
    if (!(schema instanceof z.ZodType)) throw new Error('a body without a schema')
    const root = this.#collected(schema, io)
    return { schema: hoisted(root), example: exampleOf(root, this.byId) }
  }

  /** The fields of an object that is read.
   * @throws Error: another schema has the same id */
  object(schema: z.ZodType): ObjectSchema {
    const { properties = {}, required = [] } = this.#collected(schema, 'input')
    return {
      properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, hoisted(each)])),
      required,
    }
  }

  #collected(schema: z.ZodType, io: Io): JsonSchema {
    const {
      $schema: _,
      $defs = {},
      ...root
    } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: portable })
    for (const [id, definition] of Object.entries($defs)) this.#add(id, hoisted(described(id, definition)))
    return root
  }

  #add(id: string, schema: unknown): void {
    const known = this.byId[id] ?? schema
    this.byId[id] = known
    if (JSON.stringify(known) !== JSON.stringify(schema)) throw new Error(`two schemas have the id ${id}`)
  }
}

function portable({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  // An answer may gain fields, so a reader must not take the known ones for all there will ever be.
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
  // Many languages cannot compile Unicode properties. The server checks the whole rule.
  if (/\\[pP]\{/.test(jsonSchema.pattern ?? '')) delete jsonSchema.pattern
  // Generators make a field with a default required.
  if ('default' in jsonSchema) {
    jsonSchema.description = `Default: ${JSON.stringify(jsonSchema.default)}`
    delete jsonSchema.default
  }
}

function hoisted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hoisted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      name === '$ref' && typeof inner === 'string'
        ? inner.replace('#/$defs/', '#/components/schemas/')
        : hoisted(inner),
    ]),
  )
}
