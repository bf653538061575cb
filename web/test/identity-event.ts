import { Webhook } from 'standardwebhooks'

type Sending = {
  /** `whsec_` and base64. */
  secret: string
  id?: string
  at?: Date
  /** What the header names begin with. */
  prefix?: string
}

let count = 0

/** An event as an identity provider signs it. */
export function signedEvent(event: unknown, { secret, prefix = 'webhook', ...sending }: Sending) {
  count += 1
  const { id = `msg_${process.pid}_${count}`, at = new Date() } = sending
  const body = JSON.stringify(event)
  const headers = {
    'content-type': 'application/json',
    [`${prefix}-id`]: id,
    [`${prefix}-timestamp`]: String(Math.floor(at.getTime() / 1_000)),
    [`${prefix}-signature`]: new Webhook(secret).sign(id, at, body),
  }
  return { body, headers }
}
