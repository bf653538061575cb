import { depositUserCode } from '@keyferry/crypto/deposit'
import { type Asker, askPerson } from '../delivery/ask-person.ts'
import { waitForDeposit } from '../delivery/wait.ts'
import type { Parts } from '../ground/parts.ts'
import { type Content, sealDeposit } from './deposit-body.ts'
import { fetchDepositKey } from './deposit-key.ts'

export type Depositing = Omit<Asker, 'bundle'> & { readonly content: Content }

/** Store values on a server where people sign in: seal them to its deposit key, ask for an approval, and wait until the server
 * says what it stored.
 * @throws CliError */
export async function storeWithApproval(depositing: Depositing, parts: Parts): Promise<void> {
  const { content, server } = depositing
  const { bundle, workspace } = content
  await askPerson(
    { ...depositing, bundle, workspace },
    {
      kind: 'deposit',
      keys: content.entries.map(({ name }) => name),
      reasonFor: 'these values are stored',
      prepare: async ({ keyPair: { publicKey }, verifier }) => {
        const key = await fetchDepositKey(server, parts)
        const { deposit, binding, box } = sealDeposit(content, { key, publicKey, verifier })
        return {
          fields: { deposit },
          codeOf: (requestId) => depositUserCode(requestId, { publicKey, binding, box }),
        }
      },
      wait: (pending, events) => waitForDeposit(parts, pending, events),
      tell: (view, stored) => view.stored(stored),
    },
    parts,
  )
<<<<<<< HEAD
=======
  const making = makeDeposit(depositing, { keyPair, verifier, wayBack }, parts)
  const interruption = atInterruption(parts, async () => {
    wayBack.end()
    view.end()
    await withdraw(making, depositing.view, parts)
  })
  try {
    const pending = await interruption.unlessEnding(making)
    const address = wayBack.begin(pending, view, whyNotOpen === null)
    if (whyNotOpen === null) parts.openBrowser(address)
    view.asked(facts(depositing, pending, whyNotOpen))
    const waiting = waitForDeposit(parts, pending, {
      onTrouble: (text) => view.trouble(printable(text)),
      onRecovery: () => view.recovered(),
      onNeeds: wayBack.onNeeds,
    })
    const stored = await interruption.unlessEnding(waiting)
    await wayBack.settled()
    view.stored(stored)
  } catch (error) {
    throw readable(error, server)
  } finally {
    wipe(keyPair.secretKey)
    wayBack.end()
    view.end()
    interruption.takeBack()
  }
}

type Making = { keyPair: KeyPair; verifier: string; wayBack: WayBack }

async function makeDeposit(
  { server, content, command, agent, reason, view }: Depositing,
  { keyPair, verifier, wayBack }: Making,
  parts: Parts,
): Promise<PendingRequest> {
  const key = await fetchDepositKey(server, parts)
  const sealed = sealDeposit(content, { key, publicKey: keyPair.publicKey, verifier })
  const { clock, stderr, env, cwd } = parts
  let startedMs = clock.monotonicMs()
  const exchange = patientExchange(parts, (waitMs) => {
    stderr.write(rateLimitNotice(view, waitMs))
    startedMs = clock.monotonicMs() + waitMs
  })
  const created = await createRequest(exchange, server, {
    kind: 'deposit',
    client_pubkey: Buffer.from(keyPair.publicKey).toString('base64'),
    bundle_id: content.bundle,
    ...(content.workspace === null ? {} : { workspace: content.workspace }),
    format: 'sh',
    poll_challenge: pollChallenge(verifier),
    release: wayBack.offered,
    ...commandFields({ command }, null, cwd),
    meta: { ...claims(env, cwd, shownCommand(command).argv), ...agentClaims({ agent, reason }) },
    deposit: sealed.deposit,
  })
  return {
    server,
    keyPair,
    verifier,
    ...created,
    userCode: agreedCode(created, keyPair, sealed),
    deadlineMs: startedMs + created.lifetimeMs,
    remembered: null,
    asksAgain: null,
  }
}

// A server that shows another code has other values, other names or another client than this one.
function agreedCode(
  { id, userCode }: { id: string; userCode: string | null },
  { publicKey }: KeyPair,
  { binding, box }: Sealed,
): string {
  const code = depositUserCode(id, { publicKey, binding, box })
  if (userCode !== null && normalizeUserCode(userCode) === code) return code
  throw refusedAnswer(
    'the check code of the server differs from ours: the connection is intercepted, or this is not a Keyferry server',
  )
}

function facts(
  { server, content, command, hidesQrCode }: Depositing,
  { approvalUrl, userCode, isCodeTyped, lifetimeMs, deadlineMs }: PendingRequest,
  whyNotOpened: string | null,
): Asked {
  return {
    deposit: { stores: content.entries.length, removes: content.detach.length },
    server,
    bundle: content.bundle,
    workspace: content.workspace,
    keys: [...content.entries.map(({ name }) => name), ...content.detach],
    command: shownCommand(command).argv.map(shownArgument).join(' '),
    approvalUrl,
    userCode,
    isCodeTyped,
    lifetimeMs,
    hidesQrCode,
    whyNotOpened,
    deadlineMs,
    asksAgain: null,
  }
}

function reasonNeeded(agent: string): Error {
  return usageError(
    `${agent} started this command, so a reason is required`,
    'Add --reason TEXT: say in one sentence why you change the bundle.',
  )
>>>>>>> bbed414 (cli: unset works with an approval; edit removes the names whose lines are gone)
}
