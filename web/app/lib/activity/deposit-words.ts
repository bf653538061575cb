import { counted } from '../words/counted.ts'
import { endText } from './phrases.ts'
import type { Part, Told } from './told.ts'

/** What the actions of deposits say after the actor. */
export const depositWords = {
  'deposit.approved': ({ text, names, number }) => {
    const count = number('names_count') ?? names('names').length
    return [`approved a deposit of ${counted(count, 'variable')} into ${into(text)}`]
  },
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
} as const satisfies Readonly<Record<string, (told: Told) => Part[]>>

function removedText(count: number | null): string {
  return count === null ? '' : `, ${count} removed`
}

function into(text: Told['text']): string {
  return text('into') ?? 'a bundle'
}
