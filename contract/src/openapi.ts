import { z } from 'zod'
import { type Endpoint, failureStatuses, paramsOf } from './endpoint.ts'
import { endpoints } from './endpoints.ts'
import { joined } from './joined.ts'
import * as modules from './modules.ts'
import { ComponentSchemas } from './openapi-schemas.ts'
import { WorkspaceHeaders } from './schemas/tenant.ts'
import { ErrorBody } from './schemas/text.ts'

type Json = Readonly<Record<string, unknown>>
type ParameterPlace = 'path' | 'query' | 'header'

const REASONS: Readonly<Record<number, string>> = {
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
}

const TAGS = {
  service: 'Health checks',
  openapi: 'This document',
  requests: 'Asking for values, and approving',
  bundles: 'Named groups of keys',
  keys: 'The library: one environment variable each',
  imports: 'Many variables at once',
  deliveries: 'Values that left the server',
  grants: 'Remembered approvals',
  audit: 'What happened in the workspace',
  ...joined(modules, 'tags'),
  tokens: 'Leaked tokens',
  users: 'Provisioning, for the web-facing layer',
  'approval-keys': 'Keys that sign approvals',
  'lasting-acts': 'Signed acts that wait',
  sessions: 'Signing in and out, answered by the web-facing layer',
  me: 'Who the caller is',
  tenants: 'Workspaces',
  members: 'Who belongs to the current workspace',
  groups: 'Named sets of members',
  invitations: 'Invitations to join the current workspace',
} as const

// Paths that begin with another word than the tag under which a reader looks for them.
const TAG_OF_PATH: Readonly<Record<string, keyof typeof TAGS>> = {
  waiting: 'requests',
  proposals: 'requests',
  compare: 'bundles',
  'deposit-key': 'requests',
  'library-moves': 'imports',
  'openapi.json': 'openapi',
  'receipt-keys': 'deliveries',
  'stale-keys': 'keys',
  use: 'deliveries',
}

/** The whole interface as an OpenAPI 3.1 document, made from the table and the schemas that validate. */
export function openApiDocument(version: string): Json {
  const schemas = new ComponentSchemas()
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [name, row] of Object.entries<Endpoint>(endpoints)) {
    paths[row.path] = { ...paths[row.path], [row.method.toLowerCase()]: operation(name, row, schemas) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Keyferry',
      version,
      summary: 'Delivers environment-variable secrets to a terminal.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: schemas.byId,
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: '__session' },
        bearer: { type: 'http', scheme: 'bearer' },
        layer: { type: 'apiKey', in: 'header', name: 'X-Signature-V2' },
      },
    },
  }
}

function operation(name: string, row: Endpoint, schemas: ComponentSchemas): Json {
  return {
    operationId: name,
    summary: row.summary,
    tags: [tagOf(row)],
    security: securityOf(row),
    'x-access': row.access === 'program' ? 'machine' : row.access,
    ...(row.deprecated ? { deprecated: true } : {}),
    ...(row.internal ? { 'x-internal': true } : {}),
    ...(row.modes ? { 'x-auth-modes': row.modes } : {}),
    parameters: [
      ...parameters('path', paramsOf(row), schemas),
      ...parameters('query', row.query, schemas),
      ...parameters('header', row.headers, schemas),
      ...parameters('header', worksInTenant(row) ? WorkspaceHeaders : undefined, schemas),
    ],
    ...(row.body ? { requestBody: requestBody(row, row.body, schemas) } : {}),
    responses: responses(row, schemas),
  }
}

function securityOf({ access, program }: Endpoint): Json[] {
  if (access === 'public' || access === 'dev') return []
  if (access === 'layer') return [{ layer: [] }]
  if (access === 'public_or_layer') return [{}, { layer: [] }]
  if (access === 'program') return [{ bearer: [] }]
  return program === undefined ? [{ session: [] }] : [{ session: [] }, { bearer: [] }]
}

function worksInTenant({ access, internal, layer }: Endpoint): boolean {
  return (
    internal !== true &&
    layer !== 'web' &&
    (access === 'session' || access === 'member' || access === 'owner')
  )
}

function tagOf({ path, layer }: Endpoint): string {
  if (layer === 'web') return 'sessions'
  const [, noun = 'service'] = /^\/api\/v1\/([^/]+)/.exec(path) ?? []
  return TAG_OF_PATH[noun] ?? noun
}

function parameters(place: ParameterPlace, schema: z.ZodType | undefined, schemas: ComponentSchemas): Json[] {
  if (!schema) return []
  const { properties, required } = schemas.object(schema)
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: property,
  }))
}

function requestBody(row: Endpoint, body: z.ZodType, schemas: ComponentSchemas): Json {
  return { required: !row.bodyOptional, content: { 'application/json': schemas.media(body, 'input') } }
}

function responses(row: Endpoint, schemas: ComponentSchemas): Json {
  const answers: Record<string, Json> = {}
  for (const [status, schema] of Object.entries(row.responses))
    answers[status] = answer(Number(status), row, schema, schemas)
  if (row.page) answers['default'] = { description: 'A page, or a redirect' }
  for (const status of failureStatuses(row)) {
    answers[status] ??= {
      description: reason(status),
      content: { 'application/json': schemas.media(ErrorBody, 'output') },
    }
  }
  return answers
}

function answer(status: number, row: Endpoint, schema: z.ZodType, schemas: ComponentSchemas): Json {
  if (status === 204) return { description: reason(status) }
  const options = schema instanceof z.ZodUnion && row.text ? schema.options : [schema]
  const content = options.map((option) => {
    const type = option instanceof z.ZodString && row.text ? row.text : 'application/json'
    return [type, schemas.media(option, 'output')]
  })
  return { description: reason(status), content: Object.fromEntries(content) }
}

function reason(status: number): string {
  return REASONS[status] ?? 'Answer'
}
