import { type Endpoint, failureStatuses } from '../src/endpoint.ts'
import { endpoints } from '../src/endpoints.ts'
import { openApiDocument } from '../src/openapi.ts'

const ACCESS: Readonly<Record<Endpoint['access'], string>> = {
  public: 'anyone',
  session: 'any signed-in person',
  member: 'members of the tenant',
  owner: 'owners of the tenant',
  dev: 'anyone, on a server with `DEV_ALLOW_PLAINTEXT=1`',
  layer: 'the web-facing layer, for itself',
  public_or_layer: 'anyone; only what the web-facing layer signs counts as proven',
  machine: 'machines, with a bearer token',
}

type Media = { example?: unknown }
type Operation = {
  tags: string[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { content: Record<string, Media> }>
}

type Document = {
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
}

/** The reference of the API as one Markdown page, made from the same table and schemas as the OpenAPI document. */
export function apiPage(): string {
  // What the document holds is this package's own making; the page only reads it.
  const { tags, paths } = openApiDocument('') as Document
  const rows = Object.values<Endpoint>(endpoints)
  const operationOf = (row: Endpoint) => paths[row.path]?.[row.method.toLowerCase()]
  const sections = tags.map(({ name, description }) => {
    const own = rows.filter((row) => operationOf(row)?.tags[0] === name)
    return [`## ${name}`, `${description}.`, ...own.map((row) => entry(row, operationOf(row)))].join('\n\n')
  })
  return `${[INTRODUCTION, summary(rows), ...sections].join('\n\n')}\n`
}

const INTRODUCTION = `# API

Generated from the endpoint table by \`npm test -- contract/src/api-page -u\`; a test keeps it up to date. A running
server serves the same as OpenAPI 3.1 at \`/api/v1/openapi.json\`.

Every call works in one workspace. A call names it in the header \`Keyferry-Workspace: <tenant id>\`. A person who is not
a member of that workspace gets 403, and nothing is written. A call without the header uses the current workspace of the
session.

Bodies are JSON. Every failure has the body \`{"error", "code", "details"?}\`: \`error\` is for people, \`code\` for programs.
A 503 means that a store is unavailable, a 429 that a limit is reached; both have \`Retry-After\`.`

function summary(rows: readonly Endpoint[]): string {
  const lines = rows.map((row) => `| ${row.method} | \`${row.path}\` | ${row.access} | ${row.summary} |`)
  return ['| method | path | access | |', '| --- | --- | --- | --- |', ...lines].join('\n')
}

function entry(row: Endpoint, operation: Operation | undefined): string {
  const notes = [row.deprecated ? 'Deprecated.' : '', row.internal ? 'Not reachable from outside.' : '']
  if (row.page) notes.push('Answers with a page or a redirect.')
  if (row.modes) notes.push(modesNote(row, row.modes))
  const intro = [`${row.summary}.`, ...notes, forWhom(row)].filter((part) => part !== '').join(' ')
  const answers = Object.entries(operation?.responses ?? {}).filter(([status]) => status in row.responses)
  return [
    `### ${row.method} ${row.path}`,
    intro,
    ...examples('Body', operation?.requestBody?.content),
    ...answers.flatMap(([status, { content }]) => examples(status, content)),
    `Failures: ${failureStatuses(row).join(', ') || 'none'}.`,
  ].join('\n\n')
}

function forWhom({ access, machine }: Endpoint): string {
  if (machine === undefined) return `For ${ACCESS[access]}.`
  const ofMachine =
    machine === 'read' ? 'of granted bundles, every value masked' : 'that may read the audit log'
  return `For ${ACCESS[access]}, and for machines ${ofMachine}.`
}

function modesNote({ layer }: Endpoint, modes: readonly string[]): string {
  const where = `ith \`AUTH_MODE\` ${modes.map((mode) => `\`${mode}\``).join(', ')}.`
  return layer === 'web' ? `W${where}` : `Reachable from outside only w${where}`
}

function examples(title: string, content: Record<string, Media> | undefined): string[] {
  return Object.entries(content ?? {}).map(([type, { example }]) => {
    const text = typeof example === 'string' ? example.trimEnd() : JSON.stringify(example, null, 2)
    return `${title}, \`${type}\`:\n\n\`\`\`${type.includes('json') ? 'json' : ''}\n${text}\n\`\`\``
  })
}
