import { type ApiEndpointName, apiEndpoints } from '@keyferry/contract'
import { openApiDocument } from '@keyferry/contract/openapi'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

const DOCUMENT = 'openapi.json'

let validator: Ajv2020 | null = null

function documented(): Ajv2020 {
  if (validator !== null) return validator
  validator = new Ajv2020({ strict: false, allErrors: true })
  formats.default(validator)
  // Only hints for people: the document leaves the check to the server.
  for (const hint of ['base64', 'idn-email']) validator.addFormat(hint, true)
  return validator.addSchema(openApiDocument('0.0.0'), DOCUMENT)
}

type Answered = { status: number; mediaType: string; body: unknown }

/** What the OpenAPI document says against an answer; null if the answer is as it says. */
export function problemOfAnswer(name: ApiEndpointName, { status, mediaType, body }: Answered): string | null {
  if (status === 204) return null
  if (status === 500) return problemOf('components/schemas/Error', body) // every endpoint can fail
  const { method, path } = apiEndpoints[name]
  const parts = [
    'paths',
    path,
    method.toLowerCase(),
    'responses',
    `${status}`,
    'content',
    mediaType,
    'schema',
  ]
  const pointer = parts.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
  return problemOf(pointer.join('/'), body)
}

function problemOf(pointer: string, body: unknown): string | null {
  const validate = documented().getSchema(`${DOCUMENT}#/${pointer}`)
  if (validate === undefined) return `the document has no ${decodeURIComponent(pointer)}`
  return validate(body) ? null : documented().errorsText(validate.errors)
}
