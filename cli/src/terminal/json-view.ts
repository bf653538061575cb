import type { Parts } from '../ground/parts.ts'
import type { WaitingView } from './waiting-view.ts'

/** JSON lines for machines. Each object has an `event`. Fields may be added, never changed or removed. */
export function jsonView({ stderr, clock }: Parts): WaitingView {
  const say = (event: string, fields: object): void =>
    stderr.write(`${JSON.stringify({ event, ...fields })}\n`)
  return {
    asked: (asked) => {
      const { kind, removes = 0, server, bundle, workspace, keys, approvalUrl, userCode, isCodeTyped } = asked
      say('asked', {
        ...(kind === undefined ? {} : { kind }),
        server,
        bundle,
        workspace,
        keys,
        ...(removes === 0 ? {} : { removes }),
        approval_url: approvalUrl,
        user_code: userCode,
        assurance: isCodeTyped ? 'typed' : 'compat',
        expires_in: Math.round(asked.lifetimeMs / 1000),
        seconds_left: Math.max(0, Math.ceil((asked.deadlineMs - clock.monotonicMs()) / 1000)),
        asks_again: asked.asksAgain,
        browser: asked.whyNotOpened === null ? 'opened' : 'not_opened',
      })
    },
    remembered: ({ usesLeft, expiresAtMs }) =>
      say('remembered', { uses_left: usesLeft, expires_at: new Date(expiresAtMs).toISOString() }),
    trouble: (reason) => say('trouble', { reason }),
    recovered: () => say('recovered', {}),
    notReached: () => say('browser_elsewhere', {}),
    codeNeeded: (command) => say('release_needed', { by: 'code', command }),
    codeRefused: (reason) => say('release_refused', { reason }),
    secondNeeded: () => say('second_approval_needed', {}),
    delivered: ({ names, missing, bundle, workspace, missingRequired, expired, ...received }) => {
      const { deliveryId, versions, approvers, releasedBy } = received
      const record = { expired, delivery_id: deliveryId, versions, approvers, released_by: releasedBy }
      say('delivered', { names, missing, bundle, workspace, missing_required: missingRequired, ...record })
    },
    stored: ({ bundle, workspace, counts, approvedBy }) =>
      say('stored', { bundle, workspace, counts, approvers: [approvedBy] }),
    listed: ({ bundle, workspace, count, leftOut }) =>
      say('listed', { bundle: bundle?.name ?? null, workspace, count, left_out: leftOut }),
    end: () => undefined,
  }
}
