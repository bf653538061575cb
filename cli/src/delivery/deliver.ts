import { type KeyPair, wipe } from '@keyferry/crypto/key-pair'
import { pollChallenge } from '@keyferry/crypto/poll-challenge'
import { normalizeUserCode, userCode } from '@keyferry/crypto/user-code'
import { refusedAnswer } from '../cli-error.ts'
import { type CreatedRequest, createRequest } from '../server/approval-requests.ts'
import { readable } from '../server/server-failure.ts'
import type { Surroundings } from '../surroundings.ts'
import { whyNoBrowser } from '../terminal/browser.ts'
import { printable } from '../terminal/printable.ts'
import { type Asked, type ViewName, type WaitingView, waitingView } from '../terminal/waiting-view.ts'
import { claims } from './claims.ts'
import type { Expectation, Values } from './delivered-values.ts'
import { waitForDelivery } from './wait.ts'

export type Ask = Expectation & {
  readonly server: string
  readonly bundle: string | null
  /** The contract's name of the form the values will be used in. */
  readonly format: string
  /** The command line as the approver shall see it. */
  readonly command: readonly string[]
  /** Why the browser is not to be opened; null to open it. */
  readonly whyNotOpen: string | null
  readonly view: ViewName
}

/** Ask, wait for a person, open what comes: the whole way of the values.
 * @throws CliError */
export async function deliver(ask: Ask, surroundings: Surroundings): Promise<Values> {
  const keyPair = surroundings.newKeyPair()
  const view = await waitingView(ask.view, surroundings)
  const takeBack = surroundings.atInterrupt(() => {
    wipe(keyPair.secretKey)
    view.end()
  })
  try {
    return await requestAndOpen(ask, { keyPair, view, surroundings })
  } catch (error) {
    throw readable(error, ask.server)
  } finally {
    wipe(keyPair.secretKey)
    view.end()
    takeBack()
  }
}

type Means = { keyPair: KeyPair; view: WaitingView; surroundings: Surroundings }

async function requestAndOpen(ask: Ask, { keyPair, view, surroundings }: Means): Promise<Values> {
  const { clock, exchange } = surroundings
  const startedMs = clock.monotonicMs()
  const verifier = surroundings.newPollVerifier()
  const created = await createRequest(
    exchange,
    ask.server,
    requestBody(ask, { keyPair, verifier, surroundings }),
  )
  const code = agreedCode(created, keyPair)
  const deadlineMs = startedMs + created.lifetimeMs
  view.asked(facts(ask, created, { code, deadlineMs, whyNotOpened: openPage(ask, created, surroundings) }))
  const opening = import('./delivered-values.ts') // while the person looks at the page
  const box = await waitForDelivery(
    { exchange, clock },
    { server: ask.server, id: created.id, verifier, intervalMs: created.intervalMs, deadlineMs },
    { onTrouble: (reason) => view.trouble(printable(reason)), onRecovery: () => view.recovered() },
  )
  const values = (await opening).openDelivery(box, keyPair, ask)
  view.delivered(
    [...values.keys()],
    ask.keys.filter((name) => !values.has(name)),
  )
  return values
}

function requestBody(
  ask: Ask,
  { keyPair, verifier, surroundings }: { keyPair: KeyPair; verifier: string; surroundings: Surroundings },
) {
  return {
    client_pubkey: Buffer.from(keyPair.publicKey).toString('base64'),
    ...(ask.bundle === null ? {} : { bundle_id: ask.bundle }),
    ...(ask.keys.length === 0 ? {} : { template_keys: ask.keys }),
    format: ask.format,
    poll_challenge: pollChallenge(verifier),
    meta: claims(surroundings.env, surroundings.cwd, ask.command),
  }
}

/** The check code as worked out here. A server that shows another one has not got our public key. */
function agreedCode(created: CreatedRequest, keyPair: KeyPair): string {
  const code = userCode(created.id, keyPair.publicKey)
  if (created.userCode === null || normalizeUserCode(created.userCode) === code) return code
  throw refusedAnswer(
    'the check code of the server differs from ours: something stands between, or it is not Keyferry',
  )
}

function openPage(ask: Ask, { approvalUrl }: CreatedRequest, surroundings: Surroundings): string | null {
  const why = ask.whyNotOpen ?? whyNoBrowser(surroundings.env, surroundings.platform)
  if (why === null) surroundings.openBrowser(approvalUrl)
  return why
}

function facts(
  ask: Ask,
  created: CreatedRequest,
  seen: { code: string; deadlineMs: number; whyNotOpened: string | null },
): Asked {
  return {
    server: ask.server,
    bundle: ask.bundle,
    keys: ask.keys,
    command: ask.command.join(' '),
    approvalUrl: created.approvalUrl,
    lifetimeMs: created.lifetimeMs,
    userCode: seen.code,
    deadlineMs: seen.deadlineMs,
    whyNotOpened: seen.whyNotOpened,
  }
}
