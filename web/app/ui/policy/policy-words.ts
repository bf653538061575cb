import type { PolicySetting } from '../../lib/calls/answers.ts'
import { counted } from '../../lib/words/counted.ts'

type PolicyFields = {
  [Name in Exclude<keyof PolicySetting, 'people'>]: NonNullable<PolicySetting[Name]>
}

export type PolicyOption<Value> = { value: Value; name: string }

const hoursText = (hours: number) => `For up to ${counted(hours, 'hour')}`

/** How each choice of a rule is called, from the weakest to the strictest. */
export const OPTIONS: { readonly [Name in keyof PolicyFields]: readonly PolicyOption<PolicyFields[Name]>[] } =
  {
    assurance: [
      { value: 'compat', name: 'The approver compares the check code' },
      { value: 'typed', name: 'The approver types the check code' },
      { value: 'bound', name: 'It returns to the terminal, by the browser or by a code' },
      { value: 'local', name: 'It returns to a terminal on the same computer only' },
    ],
    approvers: [
      { value: 'member', name: 'Members and owners' },
      { value: 'named', name: 'Named people' },
      { value: 'owner', name: 'Owners only' },
    ],
    changers: [
      { value: 'member', name: 'Members and owners' },
      { value: 'setter', name: 'Who set the value, and owners' },
      { value: 'owner', name: 'Owners only' },
    ],
    approvals_needed: [
      { value: 1, name: 'One person' },
      { value: 2, name: 'Two people' },
    ],
    agents: [
      { value: 'remember', name: 'May ask, and approvals can be remembered' },
      { value: 'ask', name: 'May ask each time' },
      { value: 'deny', name: 'Get nothing' },
    ],
    remember_hours: [
      ...[12, 8, 1].map((value) => ({ value, name: hoursText(value) })),
      { value: 0, name: 'Never' },
    ],
    touch: [
      { value: 'none', name: 'Not needed' },
      { value: 'passkey', name: 'With an approval key' },
      { value: 'device', name: 'With an approval key that is bound to one device' },
    ],
  }

export const LABELS: Readonly<Record<Field, string>> = {
  assurance: 'How an approval reaches the terminal',
  approvers: 'Who may approve',
  changers: 'Who may change values',
  approvals_needed: 'How many people approve',
  agents: 'AI agents',
  remember_hours: 'Approvals can be remembered',
  touch: 'Signature of approvals and changes',
}

export type Field = keyof PolicyFields

export const FIELDS = Object.keys(LABELS) as Field[]

/** What a choice is called; hours that no option has are named too. */
export function nameOfChoice(field: Field, value: PolicySetting[Field]): string {
  const found = OPTIONS[field].find((option) => option.value === value)
  return found?.name ?? hoursText(Number(value))
}
