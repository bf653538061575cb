import type { Parts } from '../ground/parts.ts'
import type { WaitingView } from './waiting-view.ts'

/** One JSON object a line, for machines. Each has an `event`; fields are only ever added. */
export function jsonView({ stderr, clock }: Parts): WaitingView {
  const say = (event: string, fields: object): void =>
    stderr.write(`${JSON.stringify({ event, ...fields })}\n`)
  return {
    asked: ({ server, bundle, keys, approvalUrl, userCode, lifetimeMs, deadlineMs, whyNotOpened }) => {
      say('asked', {
        server,
        bundle,
        keys,
        approval_url: approvalUrl,
        user_code: userCode,
        expires_in: Math.round(lifetimeMs / 1000),
        seconds_left: Math.max(0, Math.ceil((deadlineMs - clock.monotonicMs()) / 1000)),
        browser: whyNotOpened === null ? 'opened' : 'not_opened',
      })
    },
    trouble: (reason) => say('trouble', { reason }),
    recovered: () => say('recovered', {}),
    delivered: (names, missing) => say('delivered', { names, missing }),
    end: () => undefined,
  }
}
