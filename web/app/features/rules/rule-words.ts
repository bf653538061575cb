import type { PolicySetting, RulesPlace } from '../../lib/calls/answers.ts'
import { counted } from '../../lib/words/counted.ts'

export type Field = Exclude<keyof PolicySetting, 'people' | 'was_typed'>

/** `word`: in the sentence. `hint`: what follows from the choice. */
export type RuleChoice<V = PolicySetting[Field]> = { value: V; word: string; hint: string }

type RuleChoices = { readonly [Name in Field]: readonly RuleChoice<NonNullable<PolicySetting[Name]>>[] }

const forHours = (value: number): RuleChoice<number> =>
  value === 0
    ? { value, word: 'never remembered', hint: 'Each start needs an approval.' }
    : {
        value,
        word: `remembered for up to ${counted(value, 'hour')}`,
        hint: 'The same command starts again without an approval, if the approver allows it.',
      }

const OWNERS = 'Owners'

/** The choices of each rule, from the weakest to the strictest. */
const CHOICES: RuleChoices = {
  approvers: [
    { value: 'member', word: 'Members and owners', hint: 'Everybody in the workspace may approve.' },
    { value: 'named', word: 'Named people', hint: 'Only people that you choose.' },
    { value: 'owner', word: OWNERS, hint: 'A member has to ask an owner.' },
  ],
  approvals_needed: [
    { value: 1, word: 'one person', hint: 'The first approval is enough.' },
    { value: 2, word: 'two people', hint: 'The second person sees who was first.' },
  ],
  touch: [
    { value: 'none', word: 'without a signature', hint: 'A program that drives the browser could approve.' },
    { value: 'passkey', word: 'with an approval key', hint: 'A person signs each approval and each change.' },
    {
      value: 'device',
      word: 'with a key that is bound to one device',
      hint: 'As before, with a security key or Windows Hello only.',
    },
  ],
  remember_hours: [12, 8, 1, 0].map(forHours),
  tasks: [
    {
      value: 'allow',
      word: 'or a task counts',
      hint: 'One yes for every command of a terminal, for 30 minutes.',
    },
    { value: 'none', word: 'no task', hint: 'An approval is for one command.' },
  ],
  assurance: [
    {
      value: 'compat',
      word: 'where the check code is the same',
      hint: 'The approver compares the check code. One careless click is enough for an attacker.',
    },
    {
      value: 'bound',
      word: 'back by the browser or by a code',
      hint: 'A click on a link alone gives an attacker nothing.',
    },
    {
      value: 'local',
      word: 'only to the same computer',
      hint: 'Neither a link nor a code gives an attacker anything.',
    },
  ],
  agents: [
    { value: 'remember', word: 'may be remembered', hint: 'Like people: within the hours of this rule.' },
    { value: 'ask', word: 'ask each time', hint: 'A person approves each command of an agent.' },
    { value: 'deny', word: 'get nothing', hint: 'A command that an agent starts is refused.' },
  ],
  changers: [
    { value: 'member', word: 'Members and owners', hint: 'Everybody in the workspace may change values.' },
    {
      value: 'setter',
      word: 'Who set a value, and owners',
      hint: 'Members change the values that they set.',
    },
    { value: 'owner', word: OWNERS, hint: 'Members propose a value, and an owner accepts it.' },
  ],
}

/** What each rule is about: the name of its menu. */
export const LABELS: Readonly<Record<Field, string>> = {
  approvers: 'Who approves',
  approvals_needed: 'How many people approve',
  touch: 'Signature',
  remember_hours: 'Remembered',
  tasks: 'Tasks',
  assurance: 'Where values go',
  agents: 'AI agents',
  changers: 'Who changes values',
}

/** The sentence of a place: its rules, each with the mark that stays beside it, and the text up to the next. */
export const SENTENCE: readonly { field: Field; mark?: string; text: string }[] = [
  { field: 'approvers', text: ' approve, ' },
  { field: 'approvals_needed', text: ' each time, ' },
  { field: 'touch', mark: ',', text: ' and it is ' },
  { field: 'remember_hours', mark: ',', text: ' ' },
  { field: 'tasks', mark: '.', text: ' Values go ' },
  { field: 'assurance', mark: '.', text: ' Agents ' },
  { field: 'agents', mark: '.', text: ' ' },
  { field: 'changers', text: ' change values.' },
]

type Value = PolicySetting[Field]

export function choiceOf(field: Field, value: Value): RuleChoice {
  const found = CHOICES[field].find((choice) => choice.value === value)
  return found ?? forHours(Number(value))
}

/** How strict a choice is, to compare two of one rule. */
function rankOf(field: Field, value: Value): number {
  if (field === 'remember_hours') return -Number(value)
  return CHOICES[field].findIndex((choice) => choice.value === value)
}

/** What a place can choose: what is stricter than the places above it, and what it chose. The weakest changes nothing
 * where nothing is set above. */
export function choicesAt(field: Field, { set, limit, above }: RulesPlace): readonly RuleChoice[] {
  const floor = limit[field]
  const listed: readonly RuleChoice[] = CHOICES[field]
  const own = set[field]
  const shown =
    own === null || listed.some(({ value }) => value === own) ? listed : [choiceOf(field, own), ...listed]
  return shown.filter(({ value }) => {
    if (value === own) return true
    if (field === 'remember_hours' && value === 12) return false
    if (floor !== null) return rankOf(field, value) > rankOf(field, floor)
    return value !== above[field] || rankOf(field, value) > 0
  })
}

/** What one word of a place becomes; `people` belong to named approvers. */
export type Chosen = { field: Field; value: Value; people?: string[] | null }

/** The rules of a place with a choice. */
export function policyWith({ effective, above }: RulesPlace, { field, value, people }: Chosen) {
  const next = { ...effective, [field]: value ?? above[field] }
  return field === 'approvers' ? { ...next, people: people ?? above.people } : next
}

/** Whether a choice lets something through that the place stops now. */
export function loosens(place: RulesPlace, chosen: Chosen): boolean {
  const { field } = chosen
  const { effective, set } = place
  const [before, after] = [rankOf(field, effective[field]), rankOf(field, policyWith(place, chosen)[field])]
  if (after < before) return true
  const named = field === 'approvers' ? set.people : null
  const next = chosen.people ?? null
  return named !== null && (next === null || next.some((id) => !named.includes(id)))
}

/** `variable`: one that kept the rules of a place that it left. */
export function placeName({ variable, folder, bundle }: RulesPlace): string {
  return variable === null ? (folder ?? bundle?.name ?? 'all bundles') : `variable ${variable}`
}

/** Where the rules come from that a place does not set. */
export function aboveName({ folder, bundle }: RulesPlace): string {
  if (bundle !== null) return 'As the places above say'
  return folder === null ? 'No rule of the workspace' : 'As the workspace says'
}
