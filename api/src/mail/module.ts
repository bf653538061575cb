import { timestamp } from '../domain/base/clock-and-ids.ts'
import { DomainError } from '../domain/base/errors.ts'
import type { Handlers } from '../http/handler.ts'
import { originOf } from '../http/handler.ts'
import type { ApiModule, ModuleParts } from '../module-parts.ts'
import { OutboxSender } from '../outgoing/outbox-sender.ts'
import { countOf } from '../storage/base/tenant-rows.ts'
import { sweepEvery } from '../sweeping.ts'
import { composed } from './composing.ts'
import { CALL_MS, mailCaller } from './sending/mail-call.ts'
import { createMailChoices } from './storage/mail-choices.ts'
import { createMailOutbox, hasMailRoom, type QueuedMail } from './storage/mail-outbox.ts'
import { queueOfEntries } from './storage/mail-queue.ts'
import { sweepMails } from './storage/mail-sweeping.ts'

const SWEEP_SECONDS = 600
/** Longer than a call may take. */
const LEASE_MS = CALL_MS + 30_000

export function handlers({ queries, clock, settings: { mail }, ring }: ModuleParts) {
  const choices = createMailChoices(queries, mail !== null)
  const own = async (userId: string) => ({ sent: mail !== null, off: await choices.list(userId) })
  return {
    getOwnMails: ({ caller }) => own(caller.userId),
    async changeOwnMails({ caller: { userId }, body, peer }) {
      await choices.change(userId, body.off, { at: timestamp(clock), origin: originOf(peer) })
      return await own(userId)
    },
    async proveAddress({ caller: { userId }, body: { token }, peer }) {
      const moment = { at: timestamp(clock), origin: originOf(peer) }
      if (!(await choices.prove(userId, { token, ring, ...moment })))
        throw new DomainError(
          'not_found',
          'this link is not for the address of your account: save the address again',
        )
    },
  } satisfies Partial<Handlers>
}

/** Send the mails, until `opened` ends. */
export const start: ApiModule['start'] = (opened, parts) => {
  const { queries, steps, clock, log, sweepSeconds } = parts
  const { mail } = parts.settings
  if (mail === null) return
  const send = mailCaller(mail, { noteServer: (isFailing) => steps.note('mail', isFailing), log })
  const composing = { ...parts, ...parts.stores, query: queries.query }
  const call = async (queued: QueuedMail, signal: AbortSignal) => {
    const written = await composed(composing, queued, mail.publicUrl)
    return written === null ? ({ end: 'dropped' } as const) : await send(written, signal)
  }
  const sender = new OutboxSender({
    name: 'mails',
    outbox: createMailOutbox(queries),
    hasRoom: hasMailRoom,
    call,
    leaseMs: LEASE_MS,
    watched: (work) => steps.watched('mail queue', work),
    clock,
    log,
  })
  opened.adopt(sender, (it) => it.close())
  const sweep = () => sweepMails(queries, clock.now())
  sweepEvery(opened, sweepSeconds ?? SWEEP_SECONDS, { name: 'mail sweep', sweep, steps, log })
}

/** Queue the mails of appended entries. */
export const afterAppend: NonNullable<ApiModule['afterAppend']> = ({ settings }) =>
  settings.mail === null ? async () => undefined : queueOfEntries

export const gauges: NonNullable<ApiModule['gauges']> = ({ query }) => ({
  keyferry_mails: {
    help: 'Mails that are not sent yet, of all nodes',
    read: () => countOf(query.selectFrom('mail_messages').where('state', 'in', ['waiting', 'sending'])),
  },
})
