import { type Asked, type Behaviour, createdAnswer, delivery, gone } from './scripted-server.ts'

const WORKSPACE = { id: '5a1c8b52-4f0e-4c3a-8a53-3d1f0e9b7c21', name: 'Acme' }
const BUNDLE = { id: '0f0b6a0e-3c52-4f43-9a55-0d5f3c1f7a10', name: 'dev/app' }
const NAMES = {
  v: 1,
  kind: 'names',
  workspace: WORKSPACE,
  bundle: BUNDLE,
  names: [
    { name: 'DATABASE_URL', is_secret: true, required: true },
    { name: 'PORT', is_secret: false, required: false },
  ],
}
const created = (asked: Asked, fields: object = {}) => ({
  body: { ...createdAnswer(asked).body, kind: 'names', ...fields },
})

const lists = (list: object): Behaviour => ({
  authMode: 'oidc',
  create: created,
  wait: (asked) => delivery(asked, JSON.stringify(list)),
})

/** Servers where people sign in, which are asked for names. */
export const LIST_BEHAVIOURS = {
  'lists names': lists(NAMES),
  'lists another bundle': lists({ ...NAMES, bundle: { id: 'e5a7d1c2', name: 'dev/worker' } }),
  'lists a workspace of the same name': lists({
    ...NAMES,
    workspace: { ...WORKSPACE, id: 'e5a7d1c2-0c5e-4f0e-9a55-7a10f0b6a0e3' },
    approvers: ['kim'],
  }),
  'lists a hostile name': lists({ ...NAMES, names: [{ name: '\u001b[2JA', is_secret: true }] }),
  'lists names by code': {
    ...lists(NAMES),
    create: (asked) => created(asked, { interval: 1 }),
    wait: (asked, _count, isReleased) =>
      isReleased
        ? delivery(asked, JSON.stringify(NAMES))
        : { body: { status: 'pending', needs: 'release', release_by: 'code' } },
  },
  'denies a list': { ...lists(NAMES), wait: () => gone('request_denied') },
  'delivers values in place of names': {
    ...lists(NAMES),
    wait: (asked) => delivery(asked, '{"DATABASE_URL":"postgres://app:s3cret@db/app"}'),
  },
  'does not know requests for names': {
    authMode: 'oidc',
    create: () => ({
      status: 400,
      body: { error: 'kind must be one of delivery', code: 'invalid', details: { field: 'kind' } },
    }),
  },
  'ignores the kind of a request': { authMode: 'oidc' },
} as const satisfies Record<string, Behaviour>
