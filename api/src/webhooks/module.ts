import { sql } from 'kysely'
import type { ApiModule, ModuleParts } from '../module-parts.ts'
import { OutboxSender } from '../outgoing/outbox-sender.ts'
import { TenantKeys } from '../storage/keys-at-rest/tenant-keys.ts'
import { sweepEvery } from '../sweeping.ts'
import { hasRoom } from './domain/webhook-outbox.ts'
import { webhookHandlers } from './handlers.ts'
import { callReceiver } from './sending/webhook-call.ts'
import { fanOut } from './storage/webhook-fan-out.ts'
import { createWebhookOutbox } from './storage/webhook-outbox.ts'
import { webhookSecrets } from './storage/webhook-secrets.ts'
import { sweepMessages } from './storage/webhook-sweeping.ts'

const SWEEP_MESSAGES_SECONDS = 600

export function handlers({ queries, ring, clock, guard: targets }: ModuleParts) {
  const secrets = webhookSecrets(new TenantKeys(queries, ring))
  return webhookHandlers({ queries, secrets, clock, targets })
}

/** Send the messages, until `opened` ends. */
export const start: ApiModule['start'] = (opened, { queries, ring, guard, steps, clock, log, version }) => {
  const outbox = createWebhookOutbox(queries, webhookSecrets(new TenantKeys(queries, ring)))
  const callParts = { guard, now: clock.now, userAgent: `keyferry/${version}` }
  const sender = new OutboxSender({
    name: 'webhooks',
    outbox,
    hasRoom,
    call: (message, signal) => callReceiver(callParts, { message, signal }),
    leaseMs: 30_000,
    paceMs: 100,
    watched: (work) => steps.watched('webhooks', work),
    clock,
    log,
  })
  opened.adopt(sender, (it) => it.close())
  const sweep = () => sweepMessages(queries, clock.now().toISOString())
  sweepEvery(opened, SWEEP_MESSAGES_SECONDS, { name: 'webhook sweep', sweep, steps, log })
}

/** Make the messages of sealed entries. */
export const afterSeal: ApiModule['afterSeal'] = ({ database, publicUrl }) => {
  const parts = { ...database, publicUrl }
  return (transaction, batches) => fanOut(parts, transaction, batches)
}

export const gauges: ApiModule['gauges'] = ({ query }) => ({
  keyferry_webhook_messages: {
    help: 'Messages to webhooks that are not delivered yet, of all nodes',
    async read() {
      const { rows } = await sql<{ messages: number }>`select count(*) as messages from webhook_messages
        where state in ('waiting', 'sending')`.execute(query)
      return rows[0]?.messages ?? 0
    },
  },
})
