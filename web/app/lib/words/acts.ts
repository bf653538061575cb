import { type AskedTouch, factsOf } from '../calls/touch.ts'
import { visibleText } from './visible-text.ts'

/** What a call is about: facts of its statement, which the server has written, and what the call sends. */
type Act = { named: (kind: string) => string; sent: (field: string) => string }

const ACTS: Readonly<Record<string, (act: Act) => string>> = {
  confirmApprovalKey: ({ named }) => `An approval key of ${named('approval_key')} can sign approvals here.`,
  removeApprovalKey: ({ named }) => `An approval key of ${named('approval_key')} is removed.`,
}

/** One sentence that says what a signature does. */
export function actText(name: string, asked: AskedTouch, input: object): string {
  const { concerns } = factsOf(asked)
  const named = (kind: string) => listed(namesIn(new Map(Object.entries(concerns ?? {})).get(kind)))
  const sent = (field: string) => visibleText(String(new Map(Object.entries(input)).get(field) ?? ''))
  return ACTS[name]?.({ named, sent }) ?? `The server does “${name}”.`
}

function namesIn(facts: unknown): string[] {
  if (Array.isArray(facts)) return facts.flatMap(namesIn)
  return typeof facts === 'object' && facts !== null && 'name' in facts
    ? [visibleText(String(facts.name))]
    : []
}

const SHOWN = 3

function listed(names: readonly string[]): string {
  const [shown, more] = [names.slice(0, SHOWN).join(', '), names.length - SHOWN]
  return more > 0 ? `${shown} and ${more} more` : shown
}
