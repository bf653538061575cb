import { type EndpointName, endpoints } from '@keyferry/contract'
import { fillPath } from '@keyferry/contract/client'
import { LIMITS } from '@keyferry/contract/limits'
import { generatePollVerifier, pollChallenge } from '@keyferry/crypto/poll-challenge'
import { NAMES, publicKey, type World } from './world.ts'

/** One call as it is sent. */
export type Sent = {
  method: string
  path: string
  headers: Readonly<Record<string, string>>
  body: string | null
}

/** The calls that are sent at once when the bounds of an endpoint are full; or why no bound of it grows. */
export type Row = string | ((world: World) => readonly Sent[] | Promise<readonly Sent[]>)

type Parts = {
  params?: Record<string, string>
  query?: Parameters<typeof fillPath>[2]
  body?: unknown
  headers?: Record<string, string>
}

const ONE = 'a few rows, each found by its key'
const PAGE = 'a page of at most 1,000 rows'
const SHORT = 'a list with a small bound'
const WEB = 'the web-facing layer: one person, one session'
const HASH = 'one password, hashed in another thread'

const AT_ONCE = 4

function to(world: World, name: EndpointName, { params, query, body, headers }: Parts = {}): Sent {
  const { method, path } = endpoints[name]
  const json = body === undefined ? {} : { 'content-type': 'application/json' }
  return {
    method,
    path: fillPath(path, params, query),
    headers: { ...world.owner.headers, ...json, ...headers },
    body: body === undefined ? null : JSON.stringify(body),
  }
}

/** What members read, and limited ones by other statements: the lists of a library and its rules. */
export const READ_BY_MEMBERS: readonly EndpointName[] = [
  'listBundles',
  'listKeys',
  'listBundleKeys',
  'listRequestBundles',
  'listWaiting',
  'listUse',
  'getTenantPolicy',
  'getBundlePolicy',
  'getBundle',
  'getKey',
  'listSharedKeys',
  'compareBundles',
  'findKeyUses',
  'getRequestBundle',
  'listOwnAudit',
  'getMe',
]

/** The same calls by another person. */
export function sentBy({ headers }: World['owner'], calls: readonly Sent[]): Sent[] {
  return calls.map((call) => ({ ...call, headers: { ...call.headers, ...headers } }))
}

const times = (sent: Sent): readonly Sent[] => Array.from({ length: AT_ONCE }, () => sent)

/** A row that makes one call. */
function once(name: EndpointName, parts: (world: World) => Parts | Promise<Parts> = () => ({})): Row {
  return async (world) => [to(world, name, await parts(world))]
}

/** A row of calls that several people make at the same time. */
function often(name: EndpointName, parts: (world: World) => Parts | Promise<Parts> = () => ({})): Row {
  return async (world) => times(to(world, name, await parts(world)))
}

const ofWide = ({ wide }: World) => ({ params: { bundle_id: wide.id } })
const ofPlain = ({ plain }: World) => ({ params: { bundle_id: plain.id } })
const ofKey = ({ wide }: World) => ({ params: { bundle_id: wide.id, key_id: wide.keyIds[0] ?? '' } })
const ofOtherKey = ({ wide, plain }: World) => ({ bundle_id: wide.id, key_id: plain.keyIds[0] ?? '' })
const CHALLENGED = { poll_challenge: pollChallenge(generatePollVerifier()), release: ['loopback'] }
const P_NAMES = NAMES.map((name) => `P_${name}`)
const batch = ({ wide }: World) => wide.keyIds.slice(0, LIMITS.batchKeys)
const entries = (prefix: string) => NAMES.map((name) => ({ name: `${prefix}${name}`, value: 'v' }))

/** Every row of the endpoint table: without one here, this does not compile. Calls that destroy come last. */
export const ROWS: Readonly<Record<EndpointName, Row>> = {
  getHealth: 'asks no store',
  getReadiness: 'asks each store once',
  getOpenApi: often('getOpenApi'),
  createRequest: once('createRequest', () => ({
    body: { client_pubkey: publicKey(), template_keys: NAMES.slice(0, LIMITS.templateKeys) },
  })),
  waitForApproval: async (world) => {
    const request_id = await world.ask()
    const body = { bundle_id: world.plain.id, include_keys: P_NAMES }
    await world.owner.call('POST', '/api/v1/requests/{request_id}/encrypt-from-bundle', {
      params: { request_id },
      body,
    })
    return [to(world, 'waitForApproval', { params: { request_id } })]
  },
  getRequestContext: once('getRequestContext', async ({ ask }) => ({
    params: { request_id: await ask({ template_keys: NAMES.slice(0, LIMITS.templateKeys) }) },
  })),
  listCandidates: once('listCandidates', async ({ ask }) => ({
    params: { request_id: await ask({ bundle_id: 'wide' }) },
  })),
  listRequestBundles: often('listRequestBundles', async ({ ask }) => ({
    params: { request_id: await ask() },
  })),
  getRequestBundle: often('getRequestBundle', async ({ ask, wide }) => ({
    params: { request_id: await ask(), bundle_id: wide.id },
  })),
  encryptFromBundle: once('encryptFromBundle', async ({ ask, plain }) => ({
    params: { request_id: await ask() },
    body: { bundle_id: plain.id, include_keys: P_NAMES },
  })),
  vouchForRequest: ONE,
  denyRequest: ONE,
  withdrawRequest: ONE,
  storePayload: once('storePayload', async ({ ask }) => ({
    params: { request_id: await ask() },
    body: { ciphertext_base64: Buffer.alloc(LIMITS.payloadBytes).toString('base64') },
  })),
  releaseRequest: ONE,
  createReleaseCode: ONE,
  getDepositKey: 'one key that the server keeps in memory',
  planDeposit: 'at most 1,000 entries: a small part of importVariables',
  approveDeposit: 'at most 1,000 entries: a small part of importVariables',
  listProposals: often('listProposals'),
  planProposal: 'at most 1,000 entries: a small part of importVariables',
  acceptProposal: 'at most 1,000 entries: a small part of importVariables',
  endProposal: ONE,
  previewNames: often('previewNames', async ({ ask, wide }) => ({
    params: { request_id: await ask({ kind: 'names', bundle_id: 'wide', ...CHALLENGED }) },
    query: { bundle_id: wide.id },
  })),
  approveNames: once('approveNames', async ({ ask, wide }) => ({
    params: { request_id: await ask({ kind: 'names', bundle_id: 'wide', ...CHALLENGED }) },
    body: { bundle_id: wide.id },
  })),
  listWaiting: often('listWaiting'),
  listGrants: PAGE,
  revokeGrant: ONE,
  revokeOwnGrants: ONE,
  forgetDevice: ONE,
  waitForRememberedChange: ONE,
  getBundlePolicy: often('getBundlePolicy', ofWide),
  changeBundlePolicy: once('changeBundlePolicy', (world) => ({
    ...ofWide(world),
    body: { changers: 'member' },
  })),
  getTenantPolicy: often('getTenantPolicy', () => ({ query: { places: '1' } })),
  changeTenantPolicy: once('changeTenantPolicy', () => ({ body: { folder: 'team/', approvals_needed: 1 } })),
  createBundle: once('createBundle', () => ({ body: { name: 'one-more' } })),
  listBundles: often('listBundles'),
  getBundle: often('getBundle', ({ composed }) => ({ params: { bundle_id: composed.id } })),
  updateBundle: once('updateBundle', (world) => ({ ...ofWide(world), body: { description: 'd' } })),
  duplicateBundle: once('duplicateBundle', (world) => ({
    ...ofPlain(world),
    body: { name: 'copy', own: P_NAMES },
  })),
  compareBundles: often('compareBundles', ({ wide, plain, twins, legacy }) => ({
    query: { bundle_id: [wide.id, plain.id, legacy, ...twins] },
  })),
  exportBundle: often('exportBundle', ({ composed }) => ({
    params: { bundle_id: composed.id },
    query: { format: 'env', reveal: '1' },
  })),
  listBundleKeys: often('listBundleKeys', ({ long }) => ({ params: { bundle_id: long.id } })),
  listSharedKeys: often('listSharedKeys', ofWide),
  attachKey: once('attachKey', (world) => ({
    params: ofOtherKey({ ...world, wide: world.composed }),
    body: { order: 0 },
  })),
  changeAttachment: once('changeAttachment', (world) => ({ ...ofKey(world), body: { required: true } })),
  splitKey: once('splitKey', ofKey),
  reorderKey: once('reorderKey', ({ wide }) => ({
    params: { bundle_id: wide.id, key_id: wide.keyIds[1] ?? '' },
    body: { order: NAMES.length - 1 },
  })),
  importVariables: once('importVariables', () => ({ body: { bundle: 'imported', entries: entries('I_') } })),
  moveLibrary: 'at most 1,000 keys and 1 MiB: a small part of importVariables',
  importItems: once('importItems', ({ legacy }) => ({
    params: { bundle_id: legacy },
    body: { format: 'json', data: Object.fromEntries(NAMES.slice(1).map((name) => [name, 'w'])) },
  })),
  upsertLegacyItem: once('upsertLegacyItem', ({ legacy }) => ({
    params: { bundle_id: legacy },
    body: { key: 'ONLY_LEGACY', value: 'v', is_secret: true },
  })),
  convertLegacyItem: once('convertLegacyItem', ({ legacy }) => ({
    params: { bundle_id: legacy, key_name: 'ONLY_LEGACY' },
  })),
  createKey: once('createKey', () => ({ body: { name: 'ONE_MORE', value: 'v'.repeat(LIMITS.valueBytes) } })),
  listKeys: often('listKeys'),
  getKey: often('getKey', ({ wide }) => ({ params: { key_id: wide.keyIds[2] ?? '' } })),
  updateKey: once('updateKey', ({ wide }) => ({
    params: { key_id: wide.keyIds[2] ?? '' },
    body: { value: 'w'.repeat(LIMITS.valueBytes) },
  })),
  changeKeys: once('changeKeys', (world) => ({
    body: { action: 'attach', key_ids: batch(world), bundle_id: world.composed.id },
  })),
  findKeyUses: often('findKeyUses', (world) => ({
    body: { key_ids: batch(world), bundle_id: world.plain.id },
  })),
  listKeyVersions: PAGE,
  restoreKeyVersion: ONE,
  destroyKeyVersion: ONE,
  listHolders: often('listHolders', ({ plain }) => ({ params: { key_id: plain.keyIds[0] ?? '' } })),
  dismissHolder: ONE,
  listStaleKeys: often('listStaleKeys'),
  listDeliveries: often('listDeliveries'),
  listUse: often('listUse'),
  getDelivery: async (world) => {
    const [delivery] = await world.owner.call('GET', '/api/v1/deliveries', { query: { limit: '1' } })
    return times(to(world, 'getDelivery', { params: { delivery_id: delivery?.id ?? '' } }))
  },
  createDelivery: often('createDelivery', ({ plain, machine }) => ({
    body: { client_pubkey: publicKey(), bundle_id: plain.id },
    headers: { authorization: `Bearer ${machine.token}` },
  })),
  waitForChange: 'one delivery: a small part of createDelivery',
  listReceiptKeys: SHORT,
  ensureUser: ONE,
  changeProvidedUser: ONE,
  recordSignOut: ONE,
  getOwnMails: ONE,
  changeOwnMails: ONE,
  proveAddress: ONE,
  getMe: often('getMe'),
  getSetup: ONE,
  setUpAccount: HASH,
  logIn: HASH,
  changePassword: HASH,
  changeEmail: HASH,
  joinWithAccount: HASH,
  listApprovalKeys: SHORT,
  prepareApprovalKey: SHORT,
  addApprovalKey: ONE,
  confirmApprovalKey: ONE,
  removeApprovalKey: ONE,
  listLastingActs: SHORT,
  endLastingAct: ONE,
  listPasskeys: SHORT,
  preparePasskey: HASH,
  addPasskey: ONE,
  renamePasskey: ONE,
  removePasskey: HASH,
  changeSecondFactor: HASH,
  logInWithPasskey: ONE,
  listTenants: often('listTenants'),
  createTenant: ONE,
  renameTenant: ONE,
  switchTenant: ONE,
  listMembers: often('listMembers'),
  changeMemberRole: ONE,
  changeMemberLimit: ONE,
  listGroups: SHORT,
  createGroup: ONE,
  changeGroup: ONE,
  deleteGroup: ONE,
  removeMember: once('removeMember', ({ member }) => ({ params: { user_id: member.identity.userId } })),
  listTypedValues: often('listTypedValues', ({ owner }) => ({ params: { user_id: owner.identity.userId } })),
  listHoldings: often('listHoldings', ({ owner }) => ({ params: { user_id: owner.identity.userId } })),
  createInvitation: ONE,
  listInvitations: SHORT,
  revokeInvitation: ONE,
  previewInvitation: ONE,
  acceptInvitation: ONE,
  listAudit: often('listAudit', () => ({ query: { limit: '1000' } })),
  listOwnAudit: often('listOwnAudit', () => ({ query: { limit: '1000' } })),
  countAuditDays: often('countAuditDays', () => ({ query: { days: '31' } })),
  exportAudit: often('exportAudit'),
  getAuditNote: ONE,
  getAuditKey: ONE,
  createMachine: ONE,
  listMachines: often('listMachines'),
  getMachine: often('getMachine', ({ machine }) => ({ params: { machine_id: machine.id } })),
  updateMachine: ONE,
  listMachineHoldings: often('listMachineHoldings', ({ machine }) => ({
    params: { machine_id: machine.id },
  })),
  grantBundle: once('grantBundle', ({ machine, wide }) => ({
    params: { machine_id: machine.id, bundle_id: wide.id },
    body: { scope: 'deliver' },
  })),
  revokeBundle: ONE,
  createMachineToken: ONE,
  rotateMachineToken: ONE,
  endMachineToken: ONE,
  createMachineTrust: ONE,
  endMachineTrust: ONE,
  listMachineAttempts: SHORT,
  allowMachineAttempt: ONE,
  dismissMachineAttempt: ONE,
  reportTokens: 'at most 100 tokens, each found by its hash',
  getOwnMachine: ONE,
  createWebhook: ONE,
  listWebhooks: SHORT,
  getWebhook: ONE,
  updateWebhook: ONE,
  deleteWebhook: 'at most 10,000 messages, deleted by the database',
  rotateWebhookSecret: ONE,
  testWebhook: ONE,
  listWebhookMessages: PAGE,
  resendWebhookMessage: ONE,
  getSession: WEB,
  showSignIn: WEB,
  showSignUp: WEB,
  showSetUp: WEB,
  signIn: WEB,
  beginPasskeySignIn: WEB,
  signInWithPasskey: WEB,
  setUp: WEB,
  signUp: WEB,
  finishSignIn: WEB,
  signOut: WEB,
  listSessions: WEB,
  endSession: WEB,
  endAllSessions: WEB,
  changeOwnPassword: WEB,
  changeOwnEmail: WEB,
  beginPasskey: WEB,
  finishPasskey: WEB,
  clearSession: WEB,
  receiveLogout: WEB,
  receiveIdentityEvent: WEB,
  detachKey: once('detachKey', ({ wide }) => ({
    params: { bundle_id: wide.id, key_id: wide.keyIds[5] ?? '' },
  })),
  deleteLegacyItem: once('deleteLegacyItem', ({ legacy }) => ({
    params: { bundle_id: legacy, key_name: NAMES[1] ?? '' },
  })),
  deleteKey: once('deleteKey', ({ wide }) => ({ params: { key_id: wide.keyIds[3] ?? '' } })),
  deleteMachine: once('deleteMachine', ({ machine }) => ({ params: { machine_id: machine.id } })),
  deleteBundle: once('deleteBundle', ofPlain),
}
