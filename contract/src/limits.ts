const KIB = 1024
const MINUTE = 60

/** Bounds of the interface; lengths in characters unless the name says otherwise. */
export const LIMITS = {
  nameLength: 255,
  descriptionLength: 2_000,
  tagsLength: 1_000,
  valueBytes: 64 * KIB,
  rotateAfterDays: 3_650,
  /** Default of the setting VERSIONS_KEPT: versions of one key, with the current one. */
  versionsKept: 50,
  templateKeys: 1_000,
  /** Parts of one composed value, repeated ones counted. */
  templateParts: 32,
  importEntries: 10_000,
  /** Bundles beside one another. */
  comparedBundles: 20,
  /** Keys that one call changes. */
  batchKeys: 500,
  /** Values that one signed call gives to others or takes out of a rule. */
  signedValues: 2_000,
  metaValueLength: 200,
  /** Why an agent asks, in its own words. */
  reasonLength: 500,
  /** Of a command. */
  argvItems: 64,
  argvBytes: 8 * KIB,
  cwdLength: 4_096,
  /** Calls of one program or terminal that one node keeps open until a value changes. */
  openWatches: 100,
  /** The same, of all programs and terminals of one workspace. */
  workspaceWatches: 1_000,
  /** Waiting requests that start with a task. */
  taskStarts: 8,
  /** Open requests that one person vouches for, and all people of a workspace. */
  vouchesOfPerson: 3,
  vouchesOfWorkspace: 50,
  /** Open requests that one person approved first, where two approve. */
  firstApprovalsOfPerson: 50,
  /** Deliveries by one remembered approval. */
  grantUses: 50,
  /** Requests that the commands of one terminal left. */
  leftRequests: 3,
  /** A claim of an identity provider, and its name. */
  claimLength: 255,
  /** In one workspace. */
  groups: 100,
  /** What one limited member reaches, with what groups add. */
  memberPatterns: 100,
  groupMembers: 500,
  groupNameLength: 100,
  /** That a provider's claim lists. */
  claimedGroups: 500,
  usernameLength: 20,
  emailLength: 254,
  /** The name of a signing key or a passkey. */
  passkeyNameLength: 80,
  /** Signing keys of one person in one workspace. */
  approvalKeys: 5,
  /** Each binary field of a WebAuthn response, as base64url. */
  passkeyFieldLength: 8 * KIB,
  pageSize: 1_000,
  /** Body of a new approval request, which anyone may send. */
  requestBodyBytes: 32 * KIB,
  /** Of one deposit: names, bytes of the plaintext in its box, and the body of its request. */
  depositEntries: 1_000,
  depositBytes: 256 * KIB,
  depositBodyBytes: 1_024 * KIB,
  /** Default of the setting MAX_WAITING_DEPOSIT_BYTES: all deposits that wait for approval. */
  waitingDepositBytes: 64 * 1_024 * KIB,
  /** Open proposals of one person and of one workspace, and the bytes of the latter. */
  personProposals: 20,
  workspaceProposals: 200,
  proposalBytes: 16 * 1_024 * KIB,
  /** Of one library that moves to another server: keys, and bytes of the plaintext in its box. */
  movedKeys: 1_000,
  movedBytes: 1_024 * KIB,
  /** Default of the setting MAX_LIVE_REQUESTS. */
  liveRequests: 20_000,
  /** Of one workspace: folders with rules, and secrets that keep the rules of a place that they left. */
  ruledFolders: 200,
  keptRules: 2_000,
  /** Of one workspace. */
  bundles: 10_000,
  /** What a stored value counts besides its own bytes, so that empty ones are bounded too. */
  storedRowBytes: 512,
  /** Default of the setting MAX_BUNDLE_ENTRIES. */
  bundleEntries: 10_000,
  /** Default of the setting MAX_WORKSPACES_PER_PERSON. */
  workspacesPerPerson: 100,
  /** Default of the setting MAX_TENANT_BYTES: the stored values of one tenant. */
  tenantBytes: 1_024 * 1_024 * KIB,
  /** Default of the setting MAX_PAYLOAD_BYTES: the sealed plaintext. */
  payloadBytes: 1_024 * KIB,
  /** Default of the setting MAX_BODY_BYTES: one request body. */
  bodyBytes: 2_048 * KIB,
} as const

/** Times of the approval flow and of sessions, in seconds. */
export const TIMES = {
  /** How long a new signing key waits for its confirmation. */
  approvalKeySeconds: 60 * MINUTE,
  /** How long an act that lasts waits for a second owner. */
  lastingActSeconds: 24 * 60 * MINUTE,
  /** How long after that it can happen. */
  lastingActKeptSeconds: 7 * 24 * 60 * MINUTE,
  /** How long before and after its own time a touch counts, and how long its use is remembered. */
  touchEarlySeconds: MINUTE,
  touchSeconds: 3 * MINUTE,
  touchMemorySeconds: 15 * MINUTE,
  /** Default of the setting REQUEST_TTL. */
  requestTtlSeconds: 300,
  /** Default of the setting WAITING_TTL. */
  waitingSeconds: 30 * MINUTE,
  longPollSeconds: 30,
  pollIntervalSeconds: 3,
  invitationSeconds: 7 * 24 * 60 * MINUTE,
  /** How long owners can decide on a proposal, and how long its proposer then sees what became of it. */
  proposalSeconds: 7 * 24 * 60 * MINUTE,
  /** A key's expiry is shown as due this long before it comes. */
  expiringSeconds: 14 * 24 * 60 * MINUTE,
  /** How long a member can undo a change of a value. */
  undoSeconds: 10 * MINUTE,
  sessionIdleSeconds: 30 * MINUTE,
  sessionMaxSeconds: 7 * 24 * 60 * MINUTE,
  signatureWindowSeconds: 30,
  /** What began further in the future began on a clock that was wrong, and has ended. */
  aheadSeconds: 5 * MINUTE,
  /** How far the clock of a terminal may be off when it signs with its device key. */
  deviceWindowSeconds: 5 * MINUTE,
  /** For how long an approval that was remembered makes its terminal known. */
  knownTerminalSeconds: 7 * 24 * 60 * MINUTE,
  /** How long a request waits after its command stopped, and its approval for the next run. */
  leftSeconds: 120 * MINUTE,
  laterSeconds: 30 * MINUTE,
  /** How long a task counts from its approval. */
  taskSeconds: 30 * MINUTE,
  /** How long an approval waits for its return over loopback, and for its code. */
  loopbackReleaseSeconds: 10,
  codeReleaseSeconds: 2 * MINUTE,
} as const

/** Calls allowed per window, counted for each peer address; for IPv6, for each /64 network. `createRequestWide` counts
 * for each IPv6 /48 as well, because a subscriber may have 65,536 networks of /64, and for each address whose terminals
 * count by their keys. Otherwise IPv4 has no such wide count: an IPv4 address costs money, and neighbours often share a
 * /24. */
export const RATES = {
  createRequest: { calls: 10, windowSeconds: MINUTE },
  createRequestWide: { calls: 100, windowSeconds: MINUTE },
  /** People that unsigned calls create; for IPv6, of each /48. */
  createUser: { calls: 600, windowSeconds: MINUTE },
  /** Deposits that nobody has approved. */
  createDeposit: { calls: 10, windowSeconds: 5 * MINUTE },
  /** Deposits that one person approves. */
  approveDeposit: { calls: 60, windowSeconds: 5 * MINUTE },
  wait: { calls: 100, windowSeconds: MINUTE },
  /** Of one request. */
  release: { calls: 10, windowSeconds: MINUTE },
  forgetDevice: { calls: 10, windowSeconds: MINUTE },
  /** Calls of one person that ask for a touch. */
  touch: { calls: 20, windowSeconds: MINUTE },
  /** Exports of the audit log. */
  exportAudit: { calls: 10, windowSeconds: MINUTE },
  /** Waits for changed values of one address, by terminals. */
  waitForRememberedChange: { calls: 100, windowSeconds: MINUTE },
  reportTokens: { calls: 60, windowSeconds: MINUTE },
} as const

/** Wrong check codes and wrong release codes that end a request, and fresh release codes that one request may get. */
export const ATTEMPTS = {
  wrongUserCodes: 5,
  wrongReleaseCodes: 3,
  freshReleaseCodes: 3,
} as const

const UNITS = { day: 24 * 60 * MINUTE, hour: 60 * MINUTE, minute: MINUTE, second: 1 }

/** A bound in words: `7 days`, `24 hours`, `5 minutes`. One day reads as hours. */
export function spanText(seconds: number): string {
  const units = Object.entries(UNITS).filter(([, size]) => size < UNITS.day || seconds !== UNITS.day)
  const [unit, size] = units.find(([, each]) => seconds % each === 0) ?? ['second', 1]
  return `${seconds / size} ${unit}${seconds === size ? '' : 's'}`
}

/** Shown in place of a secret value. */
export const MASK = '*****'
