import { announce } from '../base/announce.ts'
import { CliError, EXIT } from '../base/cli-error.ts'
import type { Parts } from '../base/parts.ts'
import type { PendingRequest } from '../base/pending-request.ts'
import { findCredential } from '../machine/credential.ts'
import { repositoryFolder } from '../project/git-folder.ts'
import type { ExpectedWorkspace } from '../project/workspace-pins.ts'
import { requireNames } from '../receipt/receipt.ts'
import { withdrawRequest } from '../server/approval-requests.ts'
import { requireKnownBundle } from '../server/bundles.ts'
import { requestedWorkspace, requireRequested } from './confirm-workspace.ts'
import { harmlessValues } from './dangerous-names.ts'
import { checkReceipt, openDelivery, secretsOf } from './delivered-values.ts'
import { withdraw } from './interruption.ts'
import { deliveredOutcome } from './outcome.ts'
import { type ClientRequest, requestApproval } from './request-approval.ts'
import type { ValuesDelivery, ValuesRequest } from './values-request.ts'
import { deliveryIn } from './wait.ts'

/** There is no valid remembered approval, and the caller chose not to ask a person. */
export class PersonNeeded extends CliError {}

type ApprovalOptions = {
  /** Whether a person may be asked if no approval is remembered. Absent: yes. */
  readonly mayAsk?: boolean
}

/** Get the values, under their final names: as a machine if this environment has its credential, else by a request
 * that a person approves, or approved before.
 * @throws PersonNeeded · CliError */
export async function deliver(
  request: ValuesRequest,
  parts: Parts,
  options: ApprovalOptions = {},
): Promise<ValuesDelivery> {
  const credential = findCredential(request.as, request.server, parts)
  const expected =
    credential !== null || request.acceptsAnyBundle ? null : await requestedWorkspace(request, parts)
  const delivered =
    credential === null
      ? await requestApproval(valuesOf(request, expected, { ...options, parts }), request, parts)
      : await (await import('./deliver-to-machine.ts')).deliverToMachine(request, credential, parts)
  return finished(delivered, request)
}

function finished({ values, secrets, ...delivered }: ValuesDelivery, request: ValuesRequest): ValuesDelivery {
  const own = request.own ?? new Map()
  const named = harmlessValues(values, request)
  const hidden = [...named].filter(
    ([name]) => secrets.has(name.slice(request.prefix.length)) && !own.has(name),
  )
  return { ...delivered, values: new Map([...named, ...own]), secrets: new Map(hidden) }
}

function valuesOf(
  request: ValuesRequest,
  expected: ExpectedWorkspace | null,
  { mayAsk = true, parts }: ApprovalOptions & { readonly parts: Parts },
): ClientRequest<ValuesDelivery> {
  const { keys, format, via, isRemembered, use } = request
  const repository = repositoryFolder(parts.cwd)
  const named = repository === null ? use : { ...use, repository }
  const fields = { format, use: named, ...(keys.length === 0 ? {} : { template_keys: keys }) }
  return {
    name: null,
    keys,
    via,
    isRemembered,
    fields,
    begin: async (pending) => {
      if (pending.remembered === null && !mayAsk) throw await personNeeded(pending, parts)
      if (pending.remembered === null) await requireKnown(request, pending, parts)
      if (request.needsMemory && pending.remembered === null)
        announce(parts, { event: 'watch_needs_memory' }, request.needsMemory)
    },
    open: async (arrived, pending, ask) => {
      const unsigned = deliveryIn(arrived)
      const receipt = await checkReceipt(unsigned, { request, pending, parts })
      const delivery = { ...unsigned, workspace: receipt?.workspace ?? unsigned.workspace }
      const { workspace } = delivery
      await requireRequested(expected, { workspace, approvers: receipt?.approvers ?? [] }, { ask, parts })
      const values = openDelivery(delivery, pending.keyPair, request)
      const names = [...values.keys()]
      if (receipt !== null) requireNames(receipt, names)
      const outcome = deliveredOutcome({ names, delivery, receipt }, request)
      const { deliveryId, versions } = delivery
      const secrets = secretsOf(values, receipt?.public ?? [])
      return { end: { values, secrets, deliveryId, versions }, outcome, receipt: delivery.receipt }
    },
  }
}

async function personNeeded(pending: PendingRequest, parts: Parts): Promise<PersonNeeded> {
  await withdrawRequest(parts.exchange, pending).catch(() => undefined) // it expires by itself
  const why = pending.whyNotRemembered ?? 'the approval is not remembered'
  return new PersonNeeded(EXIT.denied, why, 'Run the command again, and approve it.')
}

async function requireKnown(request: ValuesRequest, pending: PendingRequest, parts: Parts): Promise<void> {
  try {
    await requireKnownBundle(request, parts)
  } catch (error) {
    await withdraw(pending, parts)
    throw error
  }
}
