import type { ApiEndpointName } from '@keyferry/contract'

/** Kinds of callers, each calling with the ids of the owner's tenant. All but the foreign owner sign for that tenant;
 * the foreign owner signs for another, which is its own. */
export const CALLERS = [
  'unsigned',
  'forged',
  'unknown user',
  'unknown tenant',
  'outsider',
  'inactive member',
  'foreign owner',
  'member',
  'owner',
] as const

export type CallerKind = (typeof CALLERS)[number]

/** What each kind of caller gets from each endpoint, in the order of `CALLERS`. */
export const EXPECTED: Readonly<Record<ApiEndpointName, readonly number[]>> = {
  getHealth: [200, 200, 200, 200, 200, 200, 200, 200, 200],
  getReadiness: [200, 200, 200, 200, 200, 200, 200, 200, 200],
  getOpenApi: [200, 200, 200, 200, 200, 200, 200, 200, 200],

  createRequest: [201, 201, 201, 201, 201, 201, 201, 201, 201],
  waitForApproval: [200, 200, 200, 200, 200, 200, 200, 200, 200],
  getRequestContext: [200, 200, 200, 200, 200, 200, 200, 200, 200],
  listCandidates: [401, 401, 404, 200, 200, 403, 200, 200, 200],
  listRequestBundles: [401, 401, 404, 404, 403, 403, 200, 200, 200],
  getRequestBundle: [401, 401, 404, 404, 403, 403, 404, 200, 200],
  encryptFromBundle: [401, 401, 404, 404, 403, 403, 404, 200, 200],
  denyRequest: [401, 401, 404, 404, 403, 403, 200, 200, 200],
  withdrawRequest: [200, 200, 200, 200, 200, 200, 200, 200, 200],
  releaseRequest: [404, 404, 404, 404, 404, 404, 404, 404, 404],
  createReleaseCode: [401, 401, 404, 404, 403, 403, 409, 409, 409],
  storePayload: [403, 403, 403, 403, 403, 403, 403, 403, 403],

  createBundle: [401, 401, 404, 404, 403, 403, 201, 201, 201],
  listBundles: [401, 401, 404, 404, 403, 403, 200, 200, 200],
  getBundle: [401, 401, 404, 404, 403, 403, 404, 200, 200],
  updateBundle: [401, 401, 404, 404, 403, 403, 404, 403, 200],
  duplicateBundle: [401, 401, 404, 404, 403, 403, 404, 201, 201],
  compareBundles: [401, 401, 404, 404, 403, 403, 404, 200, 200],
  deleteBundle: [401, 401, 404, 404, 403, 403, 404, 403, 200],
  exportBundle: [401, 401, 404, 404, 403, 403, 404, 200, 200],

  getBundlePolicy: [401, 401, 404, 404, 403, 403, 404, 200, 200],
  changeBundlePolicy: [401, 401, 404, 404, 403, 403, 404, 403, 200],
  getTenantPolicy: [401, 401, 404, 404, 403, 403, 200, 200, 200],
  changeTenantPolicy: [401, 401, 404, 404, 403, 403, 200, 403, 200],
  listReceiptKeys: [200, 200, 200, 200, 200, 200, 200, 200, 200],
  listGrants: [401, 401, 404, 404, 403, 403, 200, 200, 200],
  revokeGrant: [401, 401, 404, 404, 403, 403, 404, 404, 404],
  revokeOwnGrants: [401, 401, 404, 200, 200, 403, 200, 200, 200],
  forgetDevice: [200, 200, 200, 200, 200, 200, 200, 200, 200],
  waitForRememberedChange: [404, 404, 404, 404, 404, 404, 404, 404, 404],

  listBundleKeys: [401, 401, 404, 404, 403, 403, 404, 200, 200],
  listSharedKeys: [401, 401, 404, 404, 403, 403, 404, 200, 200],
  attachKey: [401, 401, 404, 404, 403, 403, 404, 403, 201],
  changeAttachment: [401, 401, 404, 404, 403, 403, 404, 403, 200],
  splitKey: [401, 401, 404, 404, 403, 403, 404, 403, 201],
  detachKey: [401, 401, 404, 404, 403, 403, 404, 403, 200],
  reorderKey: [401, 401, 404, 404, 403, 403, 404, 403, 200],

  importVariables: [401, 401, 404, 404, 403, 403, 200, 200, 200],

  importItems: [401, 401, 404, 404, 403, 403, 404, 403, 200],
  upsertLegacyItem: [401, 401, 404, 404, 403, 403, 404, 403, 200],
  convertLegacyItem: [401, 401, 404, 404, 403, 403, 404, 403, 201],
  deleteLegacyItem: [401, 401, 404, 404, 403, 403, 404, 403, 200],

  listAudit: [401, 401, 404, 404, 403, 403, 200, 403, 200],
  exportAudit: [401, 401, 404, 404, 403, 403, 200, 403, 200],
  getAuditNote: [401, 401, 404, 404, 403, 403, 200, 403, 200],
  getAuditKey: [401, 401, 404, 200, 200, 403, 200, 200, 200],

  createKey: [401, 401, 404, 404, 403, 403, 201, 201, 201],
  listKeys: [401, 401, 404, 404, 403, 403, 200, 200, 200],
  getKey: [401, 401, 404, 404, 403, 403, 404, 200, 200],
  updateKey: [401, 401, 404, 404, 403, 403, 404, 403, 200],
  deleteKey: [401, 401, 404, 404, 403, 403, 404, 403, 200],
  changeKeys: [401, 401, 404, 404, 403, 403, 404, 403, 200],
  findKeyUses: [401, 401, 404, 404, 403, 403, 200, 200, 200],

  listKeyVersions: [401, 401, 404, 404, 403, 403, 404, 200, 200],
  restoreKeyVersion: [401, 401, 404, 404, 403, 403, 404, 403, 200],
  destroyKeyVersion: [401, 401, 404, 404, 403, 403, 404, 403, 200],
  listHolders: [401, 401, 404, 404, 403, 403, 404, 200, 200],
  dismissHolder: [401, 401, 404, 404, 403, 403, 404, 403, 200],
  listHoldings: [401, 401, 404, 404, 403, 403, 404, 403, 200],
  listStaleKeys: [401, 401, 404, 404, 403, 403, 200, 200, 200],
  listDeliveries: [401, 401, 404, 404, 403, 403, 200, 403, 200],
  getDelivery: [401, 401, 404, 404, 403, 403, 404, 403, 200],

  ensureUser: [201, 201, 201, 201, 201, 201, 201, 201, 201],
  changeProvidedUser: [401, 401, 401, 401, 401, 401, 401, 401, 401],
  recordSignOut: [401, 401, 401, 401, 401, 401, 401, 401, 401],
  getSetup: [200, 200, 200, 200, 200, 200, 200, 200, 200],
  changePassword: [401, 401, 404, 404, 404, 403, 404, 404, 404],
  changeEmail: [401, 401, 404, 404, 404, 403, 404, 404, 404],
  listPasskeys: [401, 401, 404, 404, 404, 403, 404, 404, 404],
  preparePasskey: [401, 401, 404, 404, 404, 403, 404, 404, 404],
  addPasskey: [401, 401, 404, 404, 404, 403, 404, 404, 404],
  renamePasskey: [401, 401, 404, 404, 404, 403, 404, 404, 404],
  removePasskey: [401, 401, 404, 404, 404, 403, 404, 404, 404],
  changeSecondFactor: [401, 401, 404, 404, 404, 403, 404, 404, 404],
  logInWithPasskey: [401, 401, 401, 401, 401, 401, 401, 401, 401],
  joinWithAccount: [404, 404, 404, 404, 404, 404, 404, 404, 404],
  setUpAccount: [409, 409, 409, 409, 409, 409, 409, 409, 409],
  logIn: [200, 200, 200, 200, 200, 200, 200, 200, 200],
  getMe: [401, 401, 404, 404, 403, 403, 200, 200, 200],

  listTenants: [401, 401, 404, 200, 200, 403, 200, 200, 200],
  createTenant: [401, 401, 404, 201, 201, 403, 201, 201, 201],
  renameTenant: [401, 401, 404, 200, 404, 403, 404, 403, 200],
  switchTenant: [401, 401, 404, 200, 403, 403, 403, 200, 200],
  listMembers: [401, 401, 404, 404, 403, 403, 200, 200, 200],
  changeMemberRole: [401, 401, 404, 404, 403, 403, 404, 403, 200],
  removeMember: [401, 401, 404, 404, 403, 403, 404, 403, 200],
  createInvitation: [401, 401, 404, 404, 403, 403, 201, 403, 201],
  listInvitations: [401, 401, 404, 404, 403, 403, 200, 403, 200],
  revokeInvitation: [401, 401, 404, 404, 403, 403, 404, 403, 200],
  previewInvitation: [200, 200, 200, 200, 200, 200, 200, 200, 200],
  acceptInvitation: [401, 401, 404, 404, 200, 403, 404, 404, 404],

  createMachine: [401, 401, 404, 404, 403, 403, 201, 403, 201],
  listMachines: [401, 401, 404, 404, 403, 403, 200, 200, 200],
  getMachine: [401, 401, 404, 404, 403, 403, 404, 200, 200],
  updateMachine: [401, 401, 404, 404, 403, 403, 404, 403, 200],
  deleteMachine: [401, 401, 404, 404, 403, 403, 404, 403, 200],
  listMachineHoldings: [401, 401, 404, 404, 403, 403, 404, 403, 200],
  grantBundle: [401, 401, 404, 404, 403, 403, 404, 403, 200],
  revokeBundle: [401, 401, 404, 404, 403, 403, 404, 403, 200],
  createMachineToken: [401, 401, 404, 404, 403, 403, 404, 403, 201],
  rotateMachineToken: [401, 401, 404, 404, 403, 403, 404, 403, 201],
  endMachineToken: [401, 401, 404, 404, 403, 403, 404, 403, 200],
  createMachineTrust: [401, 401, 404, 404, 403, 403, 404, 403, 201],
  endMachineTrust: [401, 401, 404, 404, 403, 403, 404, 403, 404],
  listMachineAttempts: [401, 401, 404, 404, 403, 403, 404, 403, 200],
  allowMachineAttempt: [401, 401, 404, 404, 403, 403, 404, 403, 404],
  dismissMachineAttempt: [401, 401, 404, 404, 403, 403, 404, 403, 404],
  reportTokens: [204, 204, 204, 204, 204, 204, 204, 204, 204],
  createDelivery: [401, 401, 401, 401, 401, 401, 401, 401, 401],
  waitForChange: [401, 401, 401, 401, 401, 401, 401, 401, 401],
  createWebhook: [401, 401, 404, 404, 403, 403, 201, 403, 201],
  listWebhooks: [401, 401, 404, 404, 403, 403, 200, 403, 200],
  getWebhook: [401, 401, 404, 404, 403, 403, 404, 403, 200],
  updateWebhook: [401, 401, 404, 404, 403, 403, 404, 403, 200],
  rotateWebhookSecret: [401, 401, 404, 404, 403, 403, 404, 403, 200],
  testWebhook: [401, 401, 404, 404, 403, 403, 404, 403, 202],
  listWebhookMessages: [401, 401, 404, 404, 403, 403, 404, 403, 200],
  resendWebhookMessage: [401, 401, 404, 404, 403, 403, 404, 403, 202],
  deleteWebhook: [401, 401, 404, 404, 403, 403, 404, 403, 200],

  getOwnMachine: [401, 401, 401, 401, 401, 401, 401, 401, 401],
}

/** Kinds of machines. All but the foreign one belong to the owner's tenant, and are granted each bundle that a call names:
 * to read, to deliver, or not at all. */
export const MACHINES = [
  'machine that reads',
  'machine that delivers',
  'machine with the audit log alone',
  'machine that was stopped',
  'machine with an ended token',
  'foreign machine',
] as const

export type MachineKind = (typeof MACHINES)[number]

/** What machines get, in the order of `MACHINES`. From every other endpoint they get what an unsigned caller gets. */
export const EXPECTED_OF_MACHINES: Readonly<Partial<Record<ApiEndpointName, readonly number[]>>> = {
  listBundles: [200, 200, 200, 403, 401, 200],
  getBundle: [200, 200, 404, 403, 401, 404],
  listBundleKeys: [200, 200, 404, 403, 401, 404],
  listAudit: [403, 403, 200, 403, 401, 403],
  exportAudit: [403, 403, 200, 403, 401, 403],
  getAuditNote: [403, 403, 200, 403, 401, 403],
  createDelivery: [403, 200, 403, 403, 401, 403],
  waitForChange: [404, 404, 404, 403, 401, 404],
  getOwnMachine: [200, 200, 200, 403, 401, 200],
}
