import { spanText, TIMES } from '@keyferry/contract/limits'
import type { Policy, PolicySetting, RulesPlace } from '../../lib/calls/answers.ts'
import { counted, joined } from '../../lib/words/counted.ts'

export type Field = Exclude<keyof PolicySetting, 'people'>

/** `word`: in the menu. `hint`: what follows from the choice. */
export type RuleChoice<V = PolicySetting[Field]> = { value: V; word: string; hint: string }

type RuleChoices = { readonly [Name in Field]: readonly RuleChoice<NonNullable<PolicySetting[Name]>>[] }

const forHours = (value: number): RuleChoice<number> =>
  value === 0
    ? { value, word: 'Once', hint: 'Each start needs a yes.' }
    : {
        value,
        word: `This command, ${counted(value, 'hour')}`,
        hint: 'It starts again without a new yes, if the approver allows it.',
      }

/** The choices of each rule, from the weakest to the strictest. */
const CHOICES: RuleChoices = {
  approvers: [
    { value: 'member', word: 'Members', hint: 'Everybody in the workspace.' },
    { value: 'named', word: 'Named people', hint: 'Only people that you choose.' },
    { value: 'owner', word: 'Owners', hint: 'A member has to ask an owner.' },
  ],
  approvals_needed: [
    { value: 1, word: 'One is enough', hint: 'The first yes counts.' },
    { value: 2, word: 'A second person too', hint: 'The second person sees who was first.' },
  ],
  assurance: [
    {
      value: 'compat',
      word: 'A click is enough',
      hint: 'The approver compares the check code. One careless click is enough for an attacker.',
    },
    {
      value: 'bound',
      word: 'It comes back to their terminal',
      hint: 'By the browser or by a code. A click on a link alone gives an attacker nothing.',
    },
    {
      value: 'local',
      word: 'Only to the same computer',
      hint: 'Neither a link nor a code gives an attacker anything.',
    },
  ],
  touch: [
    { value: 'none', word: 'Not signed', hint: 'A program that drives the browser could approve.' },
    {
      value: 'passkey',
      word: 'Signed',
      hint: 'A person signs each yes and each change with a signing key.',
    },
    {
      value: 'device',
      word: 'Signed by a key that cannot leave its device',
      hint: 'The same, with a security key or Windows Hello only.',
    },
  ],
  remember_hours: [12, 8, 1, 0].map(forHours),
  tasks: [
    {
      value: 'allow',
      word: `The task, ${spanText(TIMES.taskSeconds)}`,
      hint: 'One yes for every command in a folder of a terminal. Nobody reads those commands first.',
    },
    { value: 'none', word: 'No task', hint: 'A yes is for one command.' },
  ],
  agents: [
    { value: 'remember', word: 'The same', hint: 'Agents are treated as people are.' },
    { value: 'ask', word: 'Once each', hint: 'A person says yes to each command of an agent.' },
    { value: 'deny', word: 'Nothing', hint: 'A command that an agent starts is refused.' },
  ],
  changers: [
    { value: 'member', word: 'Members', hint: 'Everybody in the workspace.' },
    {
      value: 'setter',
      word: 'Who set a value, and owners',
      hint: 'Members change the values that they set.',
    },
    { value: 'owner', word: 'Owners', hint: 'Members propose a value, and an owner accepts it.' },
  ],
}

/** The questions that the rules answer, each with its rules. `label`: the name of its menu. */
export const QUESTIONS = {
  who: { label: 'Who may say yes', fields: ['approvers', 'approvals_needed'] },
  how: { label: 'How do we know it is them', fields: ['assurance', 'touch'] },
  long: { label: 'For how long', fields: ['remember_hours', 'tasks'] },
  agents: { label: 'For agents', fields: ['agents'] },
  changers: { label: 'Who may change values', fields: ['changers'] },
} as const satisfies Record<string, { label: string; fields: readonly Field[] }>

export type RuleQuestion = keyof typeof QUESTIONS

/** The question that a rule is about. */
export function labelOf(field: Field): string {
  return Object.values(QUESTIONS).find(({ fields }) => fields.some((one) => one === field))?.label ?? field
}

const SIGNED = {
  none: '',
  passkey: 'they sign it, and ',
  device: 'they sign it with a key that cannot leave its device, and ',
} as const

const WAY = {
  compat: 'a click is enough',
  bound: 'it comes back to their terminal',
  local: 'it comes back only to the same computer',
} as const

/** The answers in the sentence of a place. `names`: who may say yes, if rules name people. */
export const ANSWERS: {
  readonly [About in RuleQuestion]: (policy: Policy, names: readonly string[] | null) => string
} = {
  who: whoOf,
  how: ({ touch, assurance }) =>
    SIGNED[touch] + (touch !== 'none' && assurance === 'compat' ? 'that is enough' : WAY[assurance]),
  long({ remember_hours, tasks }) {
    const hours = `for a command up to ${counted(remember_hours, 'hour')}`
    if (tasks === 'allow') return `once, ${hours}, or for a task (${spanText(TIMES.taskSeconds)})`
    return remember_hours > 0 ? `once, or ${hours}` : 'once'
  },
  agents: ({ agents }) => choiceOf('agents', agents).word.toLowerCase(),
  changers: ({ changers }) => choiceOf('changers', changers).word.toLowerCase(),
}

function whoOf({ approvers, approvals_needed }: Policy, names: readonly string[] | null): string {
  const who = names === null ? choiceOf('approvers', approvers).word : joined(names, 'or')
  if (names !== null && names.length < approvals_needed) return 'Nobody'
  if (approvals_needed === 1) return who
  return names === null ? `Two ${who.toLowerCase()}` : `Two of ${joined(names, 'and')}`
}

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

/** What a place can choose besides what counts from above: stricter choices, choices that the places above cannot make
 * for it, and its present choice. If nothing is set above, the weakest choice would change nothing. */
export function choicesAt(field: Field, { set, limit, above, effective }: RulesPlace): readonly RuleChoice[] {
  const floor = limit[field]
  const listed: readonly RuleChoice[] = CHOICES[field]
  const own = set[field]
  const shown =
    own === null || listed.some(({ value }) => value === own) ? listed : [choiceOf(field, own), ...listed]
  return shown.filter(({ value }) => {
    if (value === own) return true
    if (field === 'remember_hours' && value === 12) return false
    if (value === 'allow' && (effective.remember_hours === 0 || effective.approvals_needed === 2))
      return false
    const rank = rankOf(field, value)
    if (floor === null) return value !== above[field] || rank > 0
    return rank > rankOf(field, floor) || (rank === rankOf(field, floor) && value !== above[field])
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
  return folder === null ? 'As without a rule' : 'As the workspace says'
}
