import { counted } from '../words/counted.ts'
import { endText } from './phrases.ts'
import type { Part, Told } from './told.ts'

/** What the actions of deposits say after the actor. */
export const depositWords = {
  'deposit.approved': (event) => [
    `${event.has('proposal') ? 'asked to propose' : 'approved'} a deposit of ${variables(event)} into ${into(event.text)}`,
  ],
  'deposit.applied': ({ bundle, number }) => [
    `stored a deposit in `,
    bundle,
    `: ${number('created') ?? 0} created, ${number('updated') ?? 0} updated${removedText(number('removed'))}`,
  ],
  'deposit.not_released': ({ text }) => [
    `approved a deposit into ${into(text)}, and the approval never returned to a terminal: ${endText(text('reason'))}`,
  ],
  'deposit.void': ({ text }) => [
    text('into') === null ? 'tried to deny a deposit' : `approved a deposit into ${into(text)}`,
    `${text('into') === null ? '' : ', and nothing was stored'}: ${endText(text('reason'))}`,
  ],
  'deposit.denied': ({ place, origin }) => [
    `denied a deposit from ${place ?? origin('requester_ip') ?? 'a terminal'}`,
  ],
  'proposal.created': (event) => [`proposed ${variables(event)} for ${into(event.text)}`],
  'proposal.stored': ({ person, text }) => ['stored a proposal of ', person, ` in ${into(text)}`],
  'proposal.declined': ({ person, text }) => ['declined a proposal of ', person, ` for ${into(text)}`],
  'proposal.expired': ({ person, text }) => ['let expire a proposal of ', person, ` for ${into(text)}`],
  'proposal.withdrawn': ({ person, text }) => [
    'withdrew a proposal of ',
    person,
    ` for ${into(text)}${WITHDRAWN[text('reason') ?? ''] ?? ''}`,
  ],
} as const satisfies Readonly<Record<string, (told: Told) => Part[]>>

const WITHDRAWN: Readonly<Record<string, string>> = {
  replaced: ', because a newer one took its place',
  person_removed: ', because the person left',
}

function variables({ names, number }: Told): string {
  return counted(number('names_count') ?? names('names').length, 'variable')
}

function removedText(count: number | null): string {
  return count === null ? '' : `, ${count} removed`
}

function into(text: Told['text']): string {
  return text('into') ?? 'a bundle'
}
