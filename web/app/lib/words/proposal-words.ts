import type { Proposal } from '../calls/answers.ts'
import { placeOf } from './holder-text.ts'

/** What a person is called who may have left. */
export const nameOf = ({ name }: { name: string | null }): string => name ?? 'a former user'

/** From which terminal, as it called itself, and from which address. */
export function senderText({ sender }: Pick<Proposal, 'sender'>): string {
  if (sender === null) return 'sent from an unknown terminal'
  const place = placeOf(sender)
  return `sent from ${place === null ? sender.ip : `${place} (${sender.ip})`}`
}

/** What became of a proposal, for the person who made it. */
export const STATES: Readonly<
  Record<Proposal['state'], { name: string; tone: 'plain' | 'good' | 'caution' }>
> = {
  open: { name: 'Waiting', tone: 'caution' },
  stored: { name: 'Stored', tone: 'good' },
  declined: { name: 'Declined', tone: 'plain' },
  expired: { name: 'Expired', tone: 'plain' },
  withdrawn: { name: 'Withdrawn or replaced', tone: 'plain' },
}
