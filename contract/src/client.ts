import type { z } from 'zod'
import type { Method, PathParams } from './endpoint.ts'
import type { endpoints } from './endpoints.ts'

type EndpointRows = typeof endpoints
type Row = Exclude<EndpointRows[keyof EndpointRows], { page: true }>
type RowOf<M extends Method, P extends string> = Extract<Row, { method: M; path: P }>
type PathOf<M extends Method> = Extract<Row, { method: M }>['path']

type PartOf<R, Part extends string> = R extends { [K in Part]: infer S extends z.ZodType }
  ? z.input<S>
  : never
type RequiredPart<R, Part extends string> = [PartOf<R, Part>] extends [never]
  ? object
  : { [K in Part]: PartOf<R, Part> }
type Optional<R, Part extends string> = [PartOf<R, Part>] extends [never]
  ? object
  : { [K in Part]?: PartOf<R, Part> }
type Success = 200 | 201 | 202

type PathInput<R extends Row> = R extends { params: infer S extends z.ZodType }
  ? z.input<S>
  : PathParams<R['path']>
type Params<R extends Row> = keyof PathParams<R['path']> extends never ? object : { params: PathInput<R> }

export type CallOptions<R extends Row> = Params<R> &
  Optional<R, 'query'> &
  (R extends { bodyOptional: true } ? Optional<R, 'body'> : RequiredPart<R, 'body'>) & {
    headers?: Readonly<Record<string, string>>
    signal?: AbortSignal
  }

/** The body of an endpoint's answer of success. */
export type Answer<R> = R extends { responses: infer A }
  ? { [S in keyof A & Success]: A[S] extends z.ZodType ? z.output<A[S]> : never }[keyof A & Success]
  : never

/** The names of the endpoints that answer a call; pages and redirects are not among them. */
export type CallName = {
  [N in keyof EndpointRows]: EndpointRows[N] extends { page: true } ? never : N
}[keyof EndpointRows]

/** The method and path of an endpoint: `GET /api/v1/keys/{key_id}`. */
export type Address<N extends CallName> = `${EndpointRows[N]['method']} ${EndpointRows[N]['path']}`

type RowNamed<N extends CallName> = Extract<EndpointRows[N], Row>
type PartInput<R, Part extends string> = [PartOf<R, Part>] extends [never] ? unknown : PartOf<R, Part>

/** What a call by name takes: the parameters of the path beside the fields of the query (GET) or the body. */
export type CallInput<N extends CallName> = PathInput<RowNamed<N>> &
  PartInput<EndpointRows[N], EndpointRows[N]['method'] extends 'GET' ? 'query' : 'body'>

/** The answer of an endpoint by its name. */
export type AnswerOf<N extends CallName> = Answer<EndpointRows[N]>

/** An answer of failure. `code` is one of the contract's error codes, or `unknown` when the body had none. */
export class CallError extends Error {
  override readonly name = 'CallError'
  readonly status: number
  readonly code: string
  readonly details: Readonly<Record<string, unknown>>
  readonly retryAfterSeconds: number | null

  constructor(answer: {
    status: number
    code: string
    message: string
    details: Record<string, unknown>
    retryAfterSeconds: number | null
  }) {
    super(answer.message)
    this.status = answer.status
    this.code = answer.code
    this.details = answer.details
    this.retryAfterSeconds = answer.retryAfterSeconds
  }
}

type LooseOptions = {
  params?: Record<string, string>
  query?: QueryValues
  body?: unknown
  headers?: Readonly<Record<string, string>>
  signal?: AbortSignal
}

type QueryValue = string | number | undefined
/** A list names its parameter once for each value. */
type QueryValues = Record<string, QueryValue | readonly QueryValue[]>

/** The path with its parameters filled in and its query appended. */
export function fillPath(path: string, params: Record<string, string> = {}, query: QueryValues = {}): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined) search.append(name, String(each))
    }
  }
  return search.size === 0 ? filled : `${filled}?${search.toString()}`
}

/**
 * A typed caller of the endpoint table: `call('GET', '/api/v1/keys/{key_id}', { params: { key_id } })`.
 * The table is read as types alone, so that a browser bundle carries no schema. Answers are not validated here: who
 * talks to a server it does not trust checks them against the schemas.
 * @throws CallError for any answer of failure; the error of `fetch` when there is no answer
 */
export function createClient(baseUrl: string, fetchFn: typeof fetch = fetch) {
  return async function call<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    ...[options]: object extends CallOptions<RowOf<M, P>>
      ? [CallOptions<RowOf<M, P>>?]
      : [CallOptions<RowOf<M, P>>]
  ): Promise<Answer<RowOf<M, P>>> {
    const loose = (options ?? {}) as LooseOptions
    return (await send(fetchFn, { method, url: baseUrl + path, ...loose })) as Answer<RowOf<M, P>>
  }
}

export type EndpointClient = ReturnType<typeof createClient>

type LooseCall = LooseOptions & { method: string; url: string }

async function send(
  fetchFn: typeof fetch,
  { method, url, params, query, ...rest }: LooseCall,
): Promise<unknown> {
  const { body, headers, signal } = rest
  const response = await fetchFn(fillPath(url, params, query), {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  })
  if (!response.ok) throw await callError(response)
  const isJson = /^application\/json\b/.test(response.headers.get('content-type') ?? '')
  return isJson ? await response.json() : await response.text()
}

/** Beside the input of a call. `query` for a method other than GET; `body` if it shares a field with the path. */
export type CallExtras = Omit<LooseOptions, 'params'>

/**
 * A typed caller by name: `call('getKey', { key_id })`. A field of the input that is no parameter of the path goes into
 * the query of a GET and into the body of another method; without such a field there is no body.
 * @throws CallError for any answer of failure; the error of `fetch` when there is no answer
 */
export function createNamedClient<Names extends CallName>(
  addresses: { readonly [N in Names]: Address<N> },
  fetchFn: typeof fetch,
) {
  return async function call<N extends Names>(
    name: N,
    input: CallInput<N>,
    extras: CallExtras = {},
  ): Promise<AnswerOf<N>> {
    const sent = addressed(addresses[name], Object.entries(input ?? {}))
    return (await send(fetchFn, { ...sent, ...extras })) as AnswerOf<N>
  }
}

function addressed(address: string, fields: readonly (readonly [string, unknown])[]): LooseCall {
  const [method = '', url = ''] = address.split(' ')
  const inPath = ([name]: readonly [string, unknown]) => url.includes(`{${name}}`)
  const params = Object.fromEntries(fields.filter(inPath).map(([name, value]) => [name, String(value)]))
  const rest = Object.fromEntries(fields.filter((field) => !inPath(field)))
  if (method === 'GET') return { method, url, params, query: rest as QueryValues }
  return Object.keys(rest).length === 0 ? { method, url, params } : { method, url, params, body: rest }
}

async function callError(response: Response): Promise<CallError> {
  const body = parseObject(await response.text())
  return new CallError({
    status: response.status,
    code: typeof body['code'] === 'string' ? body['code'] : 'unknown',
    message:
      typeof body['error'] === 'string' ? body['error'] : `unexpected answer with status ${response.status}`,
    details: isObject(body['details']) ? body['details'] : {},
    retryAfterSeconds: parseSeconds(response.headers.get('retry-after')),
  })
}

function parseSeconds(text: string | null): number | null {
  return text !== null && /^\d+$/.test(text) ? Number(text) : null
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
