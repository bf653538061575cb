import type { EventFacts, Part } from './event-facts.ts'
import { endText } from './phrases.ts'
import { say } from './say.ts'

/** What the actions of deposits say after the actor. */
export const depositWords = {
  'deposit.approved': (event) =>
    say`${event.has('proposal') ? 'asked to propose' : 'approved'} a deposit of ${event.variables} into ${into(event)}`,
  'deposit.applied': ({ bundle, number }) => {
    const [created, updated, removed] = [number('created') ?? 0, number('updated') ?? 0, number('removed')]
    const text = removed === null ? '' : `, ${removed} removed`
    return say`stored a deposit in ${bundle}: ${created} created, ${updated} updated${text}`
  },
  'deposit.not_released': (event) =>
    say`approved a deposit into ${into(event)}, and the approval never returned to a terminal: ${end(event)}`,
  'deposit.void': (event) =>
    event.text('into') === null
      ? say`tried to deny a deposit: ${end(event)}`
      : say`approved a deposit into ${into(event)}, and nothing was stored: ${end(event)}`,
  'deposit.denied': ({ sender }) => say`denied a deposit from ${sender}`,
  'proposal.created': (event) => say`proposed ${event.variables} for ${into(event)}`,
  'proposal.stored': (event) => say`stored a change request of ${event.person} in ${into(event)}`,
  'proposal.declined': (event) => say`declined a change request of ${event.person} for ${into(event)}`,
  'proposal.expired': (event) => say`let a change request of ${event.person} for ${into(event)} expire`,
  'proposal.withdrawn': (event) =>
    say`withdrew a change request of ${event.person} for ${into(event)}${WITHDRAWN[event.text('reason') ?? ''] ?? ''}`,
} as const satisfies Readonly<Record<string, (facts: EventFacts) => Part[]>>

const WITHDRAWN: Readonly<Record<string, string>> = {
  replaced: ', because a newer one took its place',
  person_removed: ', because the person left',
}

const end = ({ text }: EventFacts): string => endText(text('reason'))

const into = ({ text }: EventFacts): string => text('into') ?? 'a bundle'
