import type { AuditGroup } from '@keyferry/contract/audit-groups'
import { useMemo, useState } from 'react'
import type { AuditDays } from '../../lib/calls/answers.ts'
import { useAnswer } from '../../lib/calls/use-call.ts'
import { useMay } from '../../lib/data/me.ts'
import { shortDay } from '../../lib/words/time.ts'
import { classNames } from '../../ui/class-names.ts'
import type { IconComponent } from '../../ui/icon.tsx'
import { Ban, Check, Package, Pencil, Scale, Server, User, Users, X } from '../../ui/icons.ts'
import { useOtherActors } from '../joined-modules.ts'
import { type ActivityFilters as Filters, totalOf } from './use-activity-filters.ts'

type Chip = { group: AuditGroup | null; name: string; icon?: IconComponent }

const CHIPS: readonly Chip[] = [
  { group: null, name: 'Everything' },
  { group: 'approvals', name: 'Approvals', icon: Check },
  { group: 'values', name: 'Values', icon: Pencil },
  { group: 'machines', name: 'Machines', icon: Server },
  { group: 'rules', name: 'Rules and people', icon: Scale },
  { group: 'refused', name: 'Refused', icon: Ban },
  { group: 'sign_ins', name: 'Sign-ins', icon: User },
]

const LOOK =
  'inline-flex h-8 shrink-0 items-center gap-1.5 rounded-full px-3 text-xs font-medium whitespace-nowrap shadow-hairline'

type ActivityFiltersProps = { filters: Filters; days: AuditDays['days']; isOwner: boolean }

/** Narrows the activity by kind, with how much there is of each; for owners by person and bundle too. */
export function ActivityFilters({ filters, days, isOwner }: ActivityFiltersProps) {
  const { group, by, about, from, to, set, setDays } = filters
  const shown = days.filter(({ day }) => (from === '' || day >= from) && (to === '' || day <= to))
  return (
    <div className="mt-4 mb-6 flex flex-wrap gap-x-6 gap-y-2 print:hidden">
      <fieldset
        aria-label="Kind"
        className="-mx-4 flex min-w-0 gap-2 overflow-x-auto p-px px-4 max-sm:w-[calc(100%+2rem)] sm:mx-0 sm:flex-wrap sm:px-px"
      >
        {CHIPS.map(({ group: own, name, icon: Icon }) => (
          <button
            key={name}
            type="button"
            aria-pressed={group === own}
            onClick={() => set('group', own ?? '')}
            className={classNames(
              LOOK,
              group === own ? 'bg-accent-soft text-accent' : 'bg-surface text-ink-soft hover:text-ink',
            )}
          >
            {Icon !== undefined && <Icon aria-hidden size={14} />}
            {name}
            <span className="font-normal">
              {shown.reduce((sum, { counts }) => sum + totalOf(counts, own), 0)}
            </span>
          </button>
        ))}
      </fieldset>
      <div className="flex flex-wrap gap-2 sm:ml-auto">
        {(from !== '' || to !== '') && (
          <button
            type="button"
            onClick={() => setDays('', '')}
            className={classNames(LOOK, 'bg-accent-soft text-accent')}
          >
            {daysText(from, to)} <X aria-hidden size={14} />
            <span className="sr-only">Show all days</span>
          </button>
        )}
        {isOwner && <PersonPicker by={by} onChange={(id) => set('by', id)} />}
        <BundlePicker about={about} onChange={(id) => set('about', id)} />
      </div>
    </div>
  )
}

function daysText(from: string, to: string): string {
  const [first, last] = [from, to].map((day) => (day === '' ? '' : shortDay(`${day}T12:00`)))
  if (from === to) return first ?? ''
  if (to === '') return `since ${first}`
  return from === '' ? `until ${last}` : `${first} to ${last}`
}

type PickerProps = {
  label: string
  value: string
  options: readonly (readonly [id: string, name: string])[]
  icon: IconComponent
  onChange: (id: string) => void
  /** The person is about to choose. */
  onReach?: () => void
}

function Picker({ label, value, options, icon: Icon, onChange, onReach }: PickerProps) {
  return (
    <span className={classNames(LOOK, 'relative', value === '' ? 'bg-surface' : 'bg-accent-soft')}>
      <Icon aria-hidden size={14} className="text-ink-soft" />
      <select
        aria-label={label}
        value={value}
        onFocus={onReach}
        onPointerEnter={onReach}
        onChange={(event) => onChange(event.currentTarget.value)}
        className="max-w-40 bg-transparent py-1 text-ink-soft"
      >
        {options.map(([id, name]) => (
          <option key={id} value={id} className="bg-surface text-ink">
            {name}
          </option>
        ))}
      </select>
    </span>
  )
}

function PersonPicker({ by, onChange }: { by: string; onChange: (id: string) => void }) {
  const people = usePeople()
  const known = people.some(([id]) => id === by)
  const other = by === '' || known ? [] : [[by, 'a former member'] as const]
  return (
    <Picker
      label="Person or machine"
      value={by}
      icon={Users}
      options={[['', 'Anyone'], ...people, ...other]}
      onChange={onChange}
    />
  )
}

function BundlePicker({ about, onChange }: { about: string; onChange: (id: string) => void }) {
  // A workspace can have hundreds, so they come when they are needed.
  const [isReached, setReached] = useState(false)
  const enabled = isReached || about !== ''
  const bundles =
    useAnswer('listBundles', {}, { enabled }).data?.map(({ id, name }) => [id, name] as const) ?? []
  const other = about === '' || bundles.some(([id]) => id === about) ? [] : [[about, 'One thing'] as const]
  return (
    <Picker
      label="Bundle"
      value={about}
      onReach={() => setReached(true)}
      icon={Package}
      options={[['', 'Any bundle'], ...bundles, ...other]}
      onChange={onChange}
    />
  )
}

/** Who can have done something. Former members come from the log, so they are listed as long as it keeps
 * their removal. */
function usePeople(): (readonly [id: string, name: string])[] {
  const enabled = useMay()('listAudit')
  const members = useAnswer('listMembers', {}).data
  const others = useOtherActors()
  const removals = useAnswer('listAudit', { action: 'member.removed', limit: 1_000 }, { enabled }).data
  return useMemo(() => {
    const present = new Set(members?.map(({ user_id }) => user_id))
    const gone = (removals ?? []).map(({ target }) => target).filter(({ id }) => !present.has(id))
    const names = new Map(gone.map(({ id, name }) => [id, `${name ?? 'unknown'} (former member)`]))
    return [
      ...(members ?? []).map(({ user_id, username }) => [user_id, username] as const),
      ...(others ?? []).map(({ id, name }) => [id, name] as const),
      ...names,
    ]
  }, [members, others, removals])
}
