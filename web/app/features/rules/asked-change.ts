import { createListeners } from '../../lib/page/kept.ts'
import type { Chosen } from './rule-words.ts'

/** A choice that loosens a rule, in a place, and waits for its confirmation. */
export type AskedLoosening = { place: string; chosen: Chosen }

let asked: AskedLoosening | null = null
const listeners = createListeners()

export const onAsked = listeners.subscribe
export const askedChange = (): AskedLoosening | null => asked

/** Ask for a confirmation on the page of the rules; null: it has been answered. *Undo* of a toast asks too, also from
 * another page. */
export function askFor(change: AskedLoosening | null): void {
  asked = change
  listeners.notify()
}
