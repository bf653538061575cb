import type { ServerRole } from './safe-start.ts'
import type { Settings } from './settings/setting-table.ts'
import type { Running } from './start.ts'

type Announced = { role: ServerRole; settings: Settings; running: Running; version: string }

/** The start text: where the server listens, where its data is, and what to type next. */
export function announcement({ role, settings, running, version }: Announced): string {
  const lines = [`Keyferry ${version}${role === 'all' ? '' : ` ${role}`} is ready.`, '']
  lines.push(`  Listens   ${running.address}`)
  if (settings.PUBLIC_URL !== undefined && role !== 'api') lines.push(`  Public    ${settings.PUBLIC_URL}`)
  lines.push(`  Data      ${dataPlace(role, settings, running)}`)
  if (role !== 'api') lines.push(`  Sign-in   ${signIn(settings)}`)
  for (const { advice } of running.startNotes) lines.push(`            ${advice}`)
  if (role === 'all' && settings.AUTH_MODE === 'local')
    lines.push(
      `  Client    ${installCommand(running.address)}`,
      `  Next      ${nextCommand(running.address)}`,
    )
  if (role === 'api' && settings.TRUST_PROXY.length === 0) lines.push('', NO_PROXY_ADVICE)
  if (role !== 'api' && settings.PUBLIC_URL?.startsWith('https:') && settings.TRUST_PROXY.length === 0)
    lines.push('', ONE_CLIENT_ADVICE)
  if (isUnbound(role, settings)) lines.push('', UNBOUND_ADVICE)
  if (role === 'all' && /^(oidc|clerk)$/.test(settings.AUTH_MODE) && !settings.SIGN_UP)
    lines.push('', SIGN_UP_ADVICE)
  if (running.madeRootKey)
    lines.push('', `  Created a root key: ${running.dataDir}/root.key`, ROOT_KEY_ADVICE)
  return `${[...lines, '', '  Stop with Ctrl-C.'].join('\n')}\n`
}

const ROOT_KEY_ADVICE =
  '  Store a copy of it separately from the data: without it, no value can be decrypted.'
const NO_PROXY_ADVICE =
  '  TRUST_PROXY is not set: only calls with X-Signature-V2 are counted by their client’s address.'
const ONE_CLIENT_ADVICE =
  '  TRUST_PROXY is not set: behind the proxy that ends TLS, all people count as one client. Set it to that proxy’s address.'
const UNBOUND_ADVICE =
  '  APPROVAL_ASSURANCE is not bound: a click on a link from another person can deliver values. Set APPROVAL_ASSURANCE=bound.'
const SIGN_UP_ADVICE =
  '  SIGN_UP is not set: everyone whom the provider signs in gets a workspace here. Set SIGN_UP=invited, or domains.'
const DEFAULT_ADDRESS = 'http://127.0.0.1:5393'

// An API node serves web nodes that sign people in, with any AUTH_MODE here.
function isUnbound(role: ServerRole, { AUTH_MODE, APPROVAL_ASSURANCE }: Settings): boolean {
  const isHosted = role === 'api' || (role === 'all' && AUTH_MODE !== 'local')
  return isHosted && APPROVAL_ASSURANCE === 'compat'
}

function nextCommand(address: string): string {
  const server = address === DEFAULT_ADDRESS ? '' : ` --server ${address}`
  return `keyferry import .env --bundle dev/app${server}`
}

// A person who starts their first server has no client yet. The line updates one that is older than the server.
function installCommand(address: string): string {
  return process.platform === 'win32'
    ? `irm ${address}/install.ps1 | iex`
    : `curl -fsS ${address}/install.sh | sh`
}

function dataPlace(role: ServerRole, settings: Settings, { dataDir }: Running): string {
  if (role === 'web') return 'none (the API stores all data)'
  return settings.DATABASE_URL === undefined ? dataDir : 'PostgreSQL (DATABASE_URL)'
}

function signIn({ AUTH_MODE, HOST, OIDC_ISSUER }: Settings): string {
  if (AUTH_MODE === 'local') return `none: ${localReach()} (${HOST})`
  return AUTH_MODE === 'oidc' ? (OIDC_ISSUER ?? AUTH_MODE) : AUTH_MODE
}

// Only Linux tells a server which user opened a local connection.
function localReach(): string {
  return process.platform === 'linux'
    ? 'your user on this machine, and root'
    : 'every user of this machine can read and change all values'
}
