import { findBundle } from '../domain/bundle.ts'
import { DomainError } from '../domain/errors.ts'
import { findOwn } from '../domain/request.ts'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'

type ConsentHandlers = Pick<
  Handlers,
  | 'releaseRequest'
  | 'createReleaseCode'
  | 'getBundlePolicy'
  | 'changeBundlePolicy'
  | 'getTenantPolicy'
  | 'changeTenantPolicy'
  | 'listReceiptKeys'
  | 'listGrants'
  | 'revokeGrant'
  | 'revokeOwnGrants'
  | 'forgetDevice'
>

const NOTHING = {
  assurance: null,
  approvers: null,
  approvals_needed: null,
  agents: null,
  remember_hours: null,
} as const

/** The rules of approvals: this server has only the default ones. */
export function consentHandlers({ stores, requestParts }: HandlerParts): ConsentHandlers {
  const { assurance } = requestParts
  const rules = { approvers: 'member', approvals_needed: 1, agents: 'ask', remember_hours: 0 } as const
  const effective = { assurance, ...rules }
  return {
    async releaseRequest({ params, headers }) {
      await findOwn(requestParts, { requestId: params.request_id, verifier: headers['x-poll-verifier'] })
      throw notHeld()
    },
    createReleaseCode: () => {
      throw notHeld()
    },
    async getBundlePolicy({ caller, params }) {
      await findBundle(stores.bundles, caller, params.bundle_id)
      const bundle = { effective, bundle: NOTHING, workspace: NOTHING, server: { assurance } }
      return { status: 200, body: { ...bundle, is_production: false } }
    },
    async changeBundlePolicy({ caller, params }) {
      await findBundle(stores.bundles, caller, params.bundle_id)
      throw unchangeable()
    },
    getTenantPolicy: () => ({
      status: 200,
      body: { effective, workspace: NOTHING, server: { assurance }, advice: [] },
    }),
    changeTenantPolicy: () => {
      throw unchangeable()
    },
    listReceiptKeys: () => ({ status: 200, body: { keys: [] } }),
    listGrants: () => ({ status: 200, body: [] }),
    revokeGrant: () => {
      throw new DomainError('not_found', 'Remembered approval not found')
    },
    revokeOwnGrants: () => ({ status: 200, body: { ended: 0 } }),
    forgetDevice: () => ({ status: 200, body: { ended: 0 } }),
  }
}

const notHeld = () => new DomainError('conflict', 'Request does not wait for its return to the terminal')
const unchangeable = () => new DomainError('forbidden', 'This server cannot change rules of approvals')
