import { z } from 'zod'
import { Ok, PathPart } from './schemas/text.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** Who may call, from anyone to the tenant's owner. `session`: any active user; `dev`: anyone, but only with
 * DEV_ALLOW_PLAINTEXT=1; `layer`: the web-facing layer itself, for no person; `public_or_layer`: anyone, but only
 * what the web-facing layer signs counts as proven; `program`: a program, by the bearer token of its `Authorization`
 * header. */
export type Access =
  | 'public'
  | 'session'
  | 'member'
  | 'owner'
  | 'dev'
  | 'layer'
  | 'public_or_layer'
  | 'program'

/** What decides whether a person signs a call with a signing key: the rules of an approval; of a bundle; of a key and
 * each bundle that contains it; of both (`attachment`); of the bundles that a program gets; of what the body names; of
 * any bundle of the workspace; what a member can do (`member`); or whether a signing key counts. The others need no
 * signature: a call that only takes access away, that gives nothing to anyone yet, that sends names and no value, or
 * that belongs to sign-in, on which signing keys do not rest. */
type Touch = Signed | 'takes_away' | 'gives_nothing' | 'names_only' | 'sign_in'

/** Of a call that a person can have to sign. */
export type Signed = { by: Deciding; lasts: Lasts }

type Deciding =
  | 'approval'
  | 'bundle'
  | 'key'
  | 'attachment'
  | 'program'
  | 'body'
  | 'workspace'
  | 'member'
  | 'approval_key'

/** Whether a call gives access for good, so that a signature announces it at first. `effect`: what it does says so. The
 * last ones: if it makes an owner; if it invites one, somebody in the place of another, or into groups; if it lets a
 * program work or read the audit log; if the program reads the log. */
type Lasts = 'never' | 'always' | 'effect' | 'role' | 'invitation' | 'program' | 'audit'

/** How people sign in: the setting AUTH_MODE. */
export const AUTH_MODES = ['local', 'accounts', 'oidc', 'clerk'] as const
export type AuthMode = (typeof AUTH_MODES)[number]

/** The modes in which people sign in with a session; `local` has one person and no session. */
export const HOSTED_MODES = ['accounts', 'oidc', 'clerk'] as const

/** Ends a summary: owners may always; the rules say which members may too. */
export const ALLOWED = ' (owner, or a member whom the rules allow)'

/** The parameters of a path: the names in its braces. */
export type PathParams<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { [K in Name]: string } & PathParams<Rest>
  : object

/** One row of the endpoint table. `path` carries its parameters in braces. */
export type Endpoint = {
  method: Method
  path: `/${string}`
  access: Access
  /** On every row of the API by which a person writes. */
  touch?: Touch
  /** Programs may call too, with a bearer token: for their granted bundles, or if they may read the audit log. */
  program?: 'read' | 'audit'
  summary: string
  /** Only where a parameter of the path is more than text; else `paramsOf` reads them from the path. */
  params?: z.ZodType<object>
  query?: z.ZodType<object>
  headers?: z.ZodType<object>
  body?: z.ZodType
  /** Largest body in bytes, where that is less than MAX_BODY_BYTES. */
  maxBodyBytes?: number
  /** A body with this field may be longer. */
  longBody?: { field: string; maxBytes: number }
  /** A request without a body counts as `{}`. */
  bodyOptional?: true
  /** Answers of success by status, each a body's schema. */
  responses: Readonly<Record<number, z.ZodType>>
  /** Statuses of failure beyond those that the access and the parts imply, each an `Error` body. */
  errors?: readonly number[]
  /** The web-facing layer answers itself; without it the internal API does. */
  layer?: 'web'
  /** Where the route exists at the public address only in some modes of sign-in. */
  modes?: readonly AuthMode[]
  /** A browser goes there: the answer is a page or a redirect. */
  page?: true
  /** Called by the web-facing layer alone, never forwarded from outside. */
  internal?: true
  deprecated?: true
  /** Answers without asking any store. */
  storeless?: true
  /** Media type of an answer that is text instead of JSON. */
  text?: string
}

/** The body of the only success: `answer` with status 200, or `created` with 201. */
type RowParts = Omit<Endpoint, 'method' | 'path' | 'access' | 'responses'> &
  Partial<Pick<Endpoint, 'responses'>> & { answer?: z.ZodType; created?: z.ZodType }

/** A row by which a person writes does not compile without `touch`, nor any other row with it. */
type Touched<M extends Method, A extends Access> = M extends 'GET'
  ? { touch?: never }
  : A extends 'session' | 'member' | 'owner'
    ? { touch: Touch } | { touch?: never; layer: 'web' }
    : { touch?: never }

/** A row that names no answer answers `{ ok: true }`. */
type CompleteRow<R> = R &
  (R extends { answer: infer A }
    ? { responses: { 200: A } }
    : R extends { created: infer C }
      ? { responses: { 201: C } }
      : R extends { responses: unknown }
        ? unknown
        : { responses: { 200: typeof Ok } })

function rows<const M extends Method>(method: M) {
  return <const P extends Endpoint['path'], const A extends Access, const R extends RowParts & Touched<M, A>>(
    path: P,
    access: A,
    rest: R & { [Unknown in Exclude<keyof R, keyof RowParts>]: never },
  ) => {
    const { answer = Ok, created } = rest
    const responses = created ? { 201: created } : { 200: answer }
    const row: object = { method, path, access, responses, ...rest }
    return row as { method: M; path: P; access: A } & CompleteRow<R>
  }
}

/** Rows of the endpoint table, by method. */
export const GET = rows('GET')
export const POST = rows('POST')
export const PUT = rows('PUT')
export const DELETE = rows('DELETE')

/** The facts of a page that the web-facing layer answers itself. */
export const PAGE = { layer: 'web', page: true, responses: {} } as const

const OF_ACCESS: Readonly<Record<Access, readonly number[]>> = {
  public: [],
  session: [401, 403, 404],
  member: [401, 403, 404],
  owner: [401, 403, 404],
  dev: [403],
  layer: [401],
  public_or_layer: [401],
  program: [401, 403, 429],
}

// The API reads the Content-Type of each call that is not a GET, and refuses a malformed one even without a body.
function readsBody({ layer, method, body }: Endpoint): boolean {
  return body !== undefined || (layer !== 'web' && method !== 'GET')
}

/** Every status of failure that an endpoint can answer: its own, those that its access and its parts imply, and 503
 * for a store that is unavailable. */
export function failureStatuses(row: Endpoint): number[] {
  const ofParts = [
    ...(row.path.includes('{') || row.query || readsBody(row) ? [400] : []),
    ...(row.body ? [413] : []),
  ]
  const all = new Set([
    ...OF_ACCESS[row.access],
    ...ofParts,
    ...(row.program ? [429] : []),
    ...(typeof row.touch === 'object' ? [409, 429] : []),
    ...(row.errors ?? []),
    ...(row.storeless ? [] : [503]),
  ])
  return [...all].toSorted((a, b) => a - b)
}

/** The schema of a row's path parameters: its own, or one text for each name in braces; undefined without any. */
export function paramsOf({ params, path }: Endpoint): z.ZodType<object> | undefined {
  const names = [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name = '']) => name)
  if (params !== undefined || names.length === 0) return params
  return z.object(Object.fromEntries(names.map((name) => [name, PathPart(name)])))
}
