import type { RequestBundleItem } from '../../../lib/calls/answers.ts'
import { serverNowMs } from '../../../lib/calls/server-clock.ts'
import { DUE_NAMES } from '../../../lib/words/due.ts'
import { ago } from '../../../lib/words/time.ts'

const RECENT_MS = 86_400_000

type Fact = readonly [text: string, isMarked: boolean]

/** What is worth knowing of a key, with whether it deserves a second look. */
export function factsOf(item: RequestBundleItem): ReadonlyMap<string, boolean> {
  const { required, due, is_secret: isSecret, description, stricter } = item
  const facts: readonly (Fact | false)[] = [
    ...lastValue(item),
    due !== null && [DUE_NAMES[due].toLowerCase(), true],
    required && ['required', false],
    [isSecret ? 'secret' : 'not secret', false],
    description !== null && description !== '' && [description, false],
    stricter === true && ['a rule of another bundle applies', false],
  ]
  return new Map(facts.filter((fact) => fact !== false))
}

/** What is true of all keys. */
export function commonFacts(items: readonly RequestBundleItem[]): ReadonlySet<string> {
  const [first, ...others] = items.map(factsOf)
  if (first === undefined || others.length === 0) return new Set()
  return new Set([...first.keys()].filter((fact) => others.every((facts) => facts.has(fact))))
}

// A value that changed lately is named with the person: it may be another one than the approver expects.
function lastValue({ version, changed, changed_at: at, changed_by: by }: RequestBundleItem): Fact[] {
  if (version === undefined || version === null) return []
  if (!at) return [[`version ${version}`, false]]
  const isMarked = changed === true || serverNowMs() - Date.parse(at) <= RECENT_MS
  const person = isMarked ? ` by ${by ?? 'a former member'}` : ''
  return [
    [`version ${version}`, false],
    [`changed ${ago(at)}${person}`, isMarked],
  ]
}
