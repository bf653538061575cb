import type { Parts } from '../base/parts.ts'
import type { WaitingView } from './waiting-view.ts'

/** JSON lines for machines. Each object has an `event`. Fields may be added, never changed or removed. */
export function jsonView({ stderr, clock }: Parts): WaitingView {
  const say = (event: string, fields: object): void =>
    stderr.write(`${JSON.stringify({ event, ...fields })}\n`)
  return {
    requested: (request) => {
      const { kind, removes = 0, server, bundle, workspace, keys } = request
      say('asked', {
        ...(kind === undefined ? {} : { kind }),
        server,
        bundle,
        workspace,
        keys,
        ...(removes === 0 ? {} : { removes }),
        approval_url: request.approvalUrl,
        user_code: request.userCode,
        assurance: request.isCodeTyped ? 'typed' : 'compat',
        expires_in: Math.round(request.lifetimeMs / 1000),
        seconds_left: Math.max(0, Math.ceil((request.deadlineMs - clock.monotonicMs()) / 1000)),
        asks_again: request.whyNotRemembered,
        browser: request.whyNotOpened === null ? 'opened' : 'not_opened',
      })
    },
    trouble: (reason) => say('trouble', { reason }),
    recovered: () => say('recovered', {}),
    say: ({ event: { event, ...fields } }) => say(event, fields),
    finished: ({ event: { event, ...fields } }) => say(event, fields),
    end: () => undefined,
  }
}
