import { useMemo, useState } from 'react'
import type { ActivityFilter } from '../../lib/activity/entries.ts'
import { ACTIONS } from '../../lib/activity/words.ts'
import { useAnswer } from '../../lib/calls/use-call.ts'
import { useMachines } from '../../lib/data/lists.ts'
import { useAddressFields } from '../../lib/page/use-address-fields.ts'
import { beginningOf } from '../../lib/words/due.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Combobox } from '../../ui/combobox.tsx'
import { ListFilter } from '../../ui/icons.ts'
import { SelectField } from '../../ui/select.tsx'
import { TextField } from '../../ui/text-field.tsx'

const FIELDS = ['by', 'about', 'what', 'from', 'to'] as const

/** Who, what, about what and when, kept in the address so that a selection can be linked to. */
export function useActivityFilters() {
  const { textOf, set } = useAddressFields(FIELDS)
  const [by, about, from, to] = [textOf('by'), textOf('about'), textOf('from'), textOf('to')]
  const action = ACTIONS.find((name) => name === textOf('what'))
  const filter: ActivityFilter = {
    ...(by === '' ? {} : { actor: by }),
    ...(about === '' ? {} : { target: about }),
    ...(action && { action }),
    ...time('from', from),
    ...time('to', dayAfter(to)),
  }
  return { by, about, what: action ?? '', from, to, set, filter }
}

function time(field: 'from' | 'to', day: string): ActivityFilter {
  const at = isDay(day) ? beginningOf(day) : null
  return at === null ? {} : { [field]: at }
}

// The API leaves `to` itself out, so that the chosen day is included.
function dayAfter(day: string): string {
  if (!isDay(day)) return ''
  const date = new Date(`${day}T00:00Z`)
  date.setUTCDate(date.getUTCDate() + 1)
  return date.toISOString().slice(0, 10)
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))
}

const GROUPS: Readonly<Record<string, string>> = {
  key: 'Keys',
  bundle: 'Bundles',
  item: 'Legacy items',
  delivery: 'Deliveries',
  member: 'Members',
  user: 'Accounts',
  passkey: 'Passkeys',
  tenant: 'Workspace',
  machine: 'Machines',
  token: 'Tokens',
  grant: 'Remembered approvals',
  person: 'Erasure',
  audit: 'This log',
}

/** Narrows the activity: by person, by what it is about, by kind, by time. */
export function ActivityFilters({ filters }: { filters: ReturnType<typeof useActivityFilters> }) {
  const { by, about, what, from, to, set } = filters
  const people = usePeople()
  const actors = [...people.members, ...people.machines, ...people.former]
  const [isChoosing, setChoosing] = useState(about !== '')
  const things = useThings(isChoosing, people)
  const isNarrowed = [by, about, what, from, to].some((text) => text !== '')
  const [isOpen, setOpen] = useState(isNarrowed)
  return (
    <>
      <Button
        label="Filter"
        size="small"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="mb-4 sm:hidden"
        icon={ListFilter}
      />
      <div
        className={classNames(
          'mb-5 grid-cols-2 items-end gap-3 sm:grid-cols-[1fr_1.4fr_1.2fr] lg:grid-cols-[1fr_1.6fr_1.3fr_auto_auto_auto]',
          isOpen ? 'grid' : 'hidden sm:grid',
          !isNarrowed && 'print:hidden',
        )}
      >
        <SelectField
          label="By"
          value={by}
          options={[
            ['', 'Anyone'],
            ...actors.map(({ id, name }) => [id, name] as const),
            ...(by === '' || actors.some(({ id }) => id === by) ? [] : [[by, 'a former member'] as const]),
          ]}
          onChange={(id) => set('by', id)}
        />
        <Combobox
          label="About"
          options={things}
          chosenId={about}
          onChoose={(id) => set('about', id)}
          onFocus={() => setChoosing(true)}
        />
        <ActionSelect what={what} onChange={(action) => set('what', action)} />
        <TextField
          label="From"
          type="date"
          value={from}
          onChange={(day) => set('from', day)}
          className="block text-sm"
        />
        <TextField
          label="To"
          type="date"
          value={to}
          onChange={(day) => set('to', day)}
          className="block text-sm"
        />
        {isNarrowed && <ButtonLink label="Clear" href="/activity" look="quiet" />}
      </div>
    </>
  )
}

function ActionSelect({ what, onChange }: { what: string; onChange: (action: string) => void }) {
  const groups = Object.entries(Object.groupBy(ACTIONS, (action) => action.split('.')[0] ?? ''))
  return (
    <label className="block text-sm font-medium">
      <span className="mb-1 block">What</span>
      <select
        value={what}
        onChange={(event) => onChange(event.currentTarget.value)}
        className="field block font-normal"
      >
        <option value="">Everything</option>
        {groups.map(([group, actions = []]) => (
          <optgroup key={group} label={GROUPS[group] ?? group}>
            {actions.map((action) => (
              <option key={action} value={action}>
                {GROUPS[group] ?? group}: {(action.split('.')[1] ?? '').replaceAll('_', ' ')}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </label>
  )
}

/** Who can have done something. Former members come from the log, so they are listed as long as it keeps
 * their removal. */
function usePeople() {
  const members = useAnswer('listMembers', {}).data
  const machines = useMachines().data
  const removals = useAnswer('listAudit', { action: 'member.removed', limit: 1_000 }).data
  return useMemo(() => {
    const present = new Set(members?.map(({ user_id }) => user_id))
    const gone = (removals ?? []).map(({ target }) => target).filter(({ id }) => !present.has(id))
    const names = new Map(gone.map(({ id, name }) => [id, `${name ?? 'unknown'} (former member)`]))
    return {
      members: (members ?? []).map(({ user_id: id, username: name }) => ({ id, name, detail: 'Member' })),
      former: [...names].map(([id, name]) => ({ id, name, detail: 'Former member' })),
      machines: (machines ?? []).map(({ id, name }) => ({ id, name, detail: 'Machine' })),
    }
  }, [members, machines, removals])
}

// The library is loaded once someone chooses from it.
function useThings(enabled: boolean, { members, former, machines }: ReturnType<typeof usePeople>) {
  const bundles = useAnswer('listBundles', {}, { enabled }).data ?? []
  const keys = useAnswer('listKeys', {}, { enabled }).data ?? []
  return [
    { id: '', name: 'Anything' },
    ...bundles.map(({ id, name }) => ({ id, name, detail: 'Bundle' })),
    ...keys.map(({ id, name }) => ({ id, name, detail: 'Key' })),
    ...members,
    ...former,
    ...machines,
  ]
}
