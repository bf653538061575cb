import type { Endpoint } from '../src/endpoint.ts'
import { endpoints } from '../src/endpoints.ts'

const ACCESS: Readonly<Record<Endpoint['access'], string>> = {
  public: 'anyone',
  session: 'any signed-in person',
  member: 'members of the tenant',
  owner: 'owners of the tenant',
  dev: 'anyone, on a server with `DEV_ALLOW_PLAINTEXT=1`',
  layer: 'the web-facing layer, for itself',
  public_or_layer: 'anyone; only what the web-facing layer signs counts as proven',
  program: 'machines, with a bearer token',
}

// As the OpenAPI document says it.
const shown = (access: string) => (access === 'program' ? 'machine' : access)

/** The list of the endpoints as one Markdown page. */
export function apiPage(): string {
  const rows = Object.values<Endpoint>(endpoints)
  const whom = Object.entries(ACCESS).map(([access, text]) => `| ${shown(access)} | ${text} |`)
  return `${[INTRODUCTION, ['| access | who may call |', '| --- | --- |', ...whom].join('\n'), summary(rows)].join('\n\n')}\n`
}

const INTRODUCTION = `# API

| you want | where |
| --- | --- |
| the list of endpoints | below |
| every field, optional ones too, with examples | \`/api/v1/openapi.json\` of your server (OpenAPI 3.1), or rendered: \`npm run build\` in \`site/\`, page *API reference* |
| a client that asks a person, step by step | [sdk.md](sdk.md#in-another-language) |
| calls as a machine, step by step | [machines.md](machines.md) |
| webhooks | [webhooks.md](webhooks.md) |
| a change that overwrites nobody else's | [life-of-a-key.md](life-of-a-key.md#versions) |
| receipts, deposits, the audit log, byte by byte | [cryptography.md](cryptography.md#receipts), [deposits.md](deposits.md#protocol), [audit.md](audit.md#format-of-an-export) |

Every call works in one workspace. A call names it in the header \`Keyferry-Workspace: <tenant id>\`. A person who is not
a member of that workspace gets 403, and nothing is written. A call without the header uses the current workspace of the
session.

A person's call has the session cookie \`__session\`. A call that writes also has \`Origin: <PUBLIC_URL>\`; without it,
the answer is 403. People have no API tokens. A local server needs neither.

Bodies are JSON. Every failure has the body \`{"error", "code", "details"?}\`: \`error\` is for people, \`code\` for programs.
A code never changes its meaning; [error-codes.ts](../contract/src/error-codes.ts) lists them with their status. A 503
means that a store is unavailable, a 429 that a limit is reached; both have \`Retry-After\`.

A change that breaks clients of \`/api/v1\` fails the tests in \`e2e/interface/\`.
Answers can gain fields, so ignore those that you do not know.

A list is whole, unless the call has \`limit\` (at most 1,000) and \`offset\`. Most lists have their total in
\`X-Total-Count\`.

The tables are generated from the table that the code uses: \`npm test -- contract/src/api-page -u\`.`

function summary(rows: readonly Endpoint[]): string {
  const lines = rows.map(
    (row) =>
      `| ${row.method} | \`${row.path}\` | ${shown(row.access)} | ${[row.summary, ...notes(row)].join('. ')} |`,
  )
  return ['| method | path | access | |', '| --- | --- | --- | --- |', ...lines].join('\n')
}

function notes({ internal, modes, deprecated }: Endpoint): string[] {
  return [
    ...(deprecated ? ['Deprecated'] : []),
    ...(internal ? ['Not reachable from outside'] : []),
    ...(modes?.length ? [`Only with \`AUTH_MODE\` ${modes.join(', ')}`] : []),
  ]
}
