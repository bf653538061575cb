export { accountEndpoints as endpoints, accountWebEndpoints as webEndpoints } from './endpoints.ts'
export * from './limits.ts'
export * from './schemas.ts'

export const auditActions = {
  'user.password_changed': 'actor',
  'user.password_reset': 'actor',
  'user.second_factor_changed': 'actor',
  'passkey.added': 'actor',
  'passkey.renamed': 'actor',
  'passkey.removed': 'actor',
} as const

export const tags = { auth: 'Local accounts, for the web-facing layer' }

export const samples = {
  'rp.id': 'keyferry.example.com',
  'rp.name': 'Keyferry',
  alg: -7,
  authenticatorData: 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAA',
  current_password: 'correct horse battery',
  displayName: 'sam@example.com',
  excludeCredentials: [],
  new_password: 'monkey dragon teapot',
  password: 'correct horse battery',
  setup_code: '4f2a9-0c1de-77b3a-91c5e',
  timeout: 300_000,
}
