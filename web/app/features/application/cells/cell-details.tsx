import type { ReactNode } from 'react'
import type { ComparedCell, Holder } from '../../../lib/calls/answers.ts'
import { isStale, useHolders } from '../../../lib/data/holders.ts'
import { useMay } from '../../../lib/data/me.ts'
import { builtFrom } from '../../../lib/rules/templates.ts'
import { setCommand } from '../../../lib/words/client-command.ts'
import { counted, listed } from '../../../lib/words/counted.ts'
import { holderNames } from '../../../lib/words/holder-text.ts'
import { ago, dateTime } from '../../../lib/words/time.ts'
import { Button } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { CommandLine } from '../../../ui/command-line.tsx'
import type { IconComponent } from '../../../ui/icon.tsx'
import {
  Asterisk,
  Braces,
  CircleCheck,
  Copy,
  Hourglass,
  Link2,
  LockKeyhole,
  Tag,
  Unlink,
  User,
  Users,
} from '../../../ui/icons.ts'
import { Menu, type MenuItem } from '../../../ui/menu.tsx'
import type { EntryAt, TakenFrom } from '../environment/environments.ts'
import { otherValues } from '../matrix-rows.ts'
import type { CellChanges } from '../use-cell-changes.tsx'
import { expiryText } from './cell-marks.ts'
import { type CellParts, sameEnvironment } from './cell-view.tsx'

type CellDetailsProps = CellParts & {
  facts: NonNullable<ComparedCell['facts']>
  changes: CellChanges
  /** Undefined where the person may not change the value. */
  onEdit: (() => void) | undefined
}

/** What an open row says of one environment, and what the person may do there. */
export function CellDetails({ facts, changes, onEdit, ...parts }: CellDetailsProps) {
  const { cell, bundle, row } = parts
  const may = useMay()
  const same = sameEnvironment(parts)
  const isShared = facts.used_in_bundles > 1
  const needsNew = facts.due !== null || facts.older_holders > 0
  return (
    <div className="space-y-2 pb-3 text-ink-soft sm:px-4">
      {same === null ? (
        <Line icon={User}>
          v{facts.version}, {facts.set_by.name ?? 'a former user'},{' '}
          <time dateTime={facts.set_at} title={dateTime(facts.set_at)}>
            {ago(facts.set_at)}
          </time>
        </Line>
      ) : (
        <Line icon={Link2}>The same variable as {same}</Line>
      )}
      {expiryText(facts) !== '' && (
        <Line icon={Hourglass} tone={facts.due === 'expired' ? 'danger' : 'caution'}>
          {expiryText(facts)}
        </Line>
      )}
      {same === null && isShared && <Line icon={Link2}>Also {alsoIn(parts, facts.used_in_bundles)}</Line>}
      {cell.template_parts !== undefined && <Line icon={Braces}>{builtFrom(cell.template_parts)}</Line>}
      {facts.missing_parts.length > 0 && (
        <Line icon={Braces} tone="danger">
          Cannot be delivered: {bundle.name} does not deliver {facts.missing_parts.join(', ')} as an ordinary
          value.
        </Line>
      )}
      {facts.required && <Line icon={Asterisk}>Required</Line>}
      {!facts.may_change && (
        <>
          <Line icon={LockKeyhole}>
            {facts.is_secret && 'Nobody reads a secret here. '}
            Owners can change this value, and so can members whom the rules allow. To propose one, run this in
            a terminal:
          </Line>
          <CommandLine command={setCommand(bundle.name, row.name)} />
        </>
      )}
      {cell.key_id !== null && <Holders keyId={cell.key_id} version={facts.version} />}
      <div className="flex flex-wrap items-center">
        {onEdit !== undefined && (
          <Button
            size="small"
            look={needsNew ? 'neutral' : 'quiet'}
            label={needsNew ? 'Rotate' : 'Change'}
            aria-label={`${needsNew ? 'Rotate' : 'Change'} ${row.name} in ${bundle.label}`}
            className={needsNew ? undefined : '-ml-2 px-2!'}
            onClick={onEdit}
          />
        )}
        {isShared && may('splitKey') && (
          <Button
            size="small"
            look="quiet"
            label="Give it its own value"
            className="px-2!"
            onClick={() => changes.split({ bundle, name: row.name, cell })}
          />
        )}
        <EntryMenu
          variable={{ bundle, name: row.name, cell }}
          facts={facts}
          changes={changes}
          sources={onEdit === undefined ? [] : sourcesOf(parts)}
        />
      </div>
    </div>
  )
}

type LineProps = { icon: IconComponent; tone?: 'caution' | 'danger' | 'good'; children: ReactNode }

const TONES = { caution: 'text-caution', danger: 'text-danger', good: 'text-good' } as const

function Line({ icon: Icon, tone, children }: LineProps) {
  return (
    <p className={classNames('flex items-start gap-2 first-letter:uppercase', tone && TONES[tone])}>
      <Icon aria-hidden size={14} className="mt-0.5 shrink-0" />
      <span className="min-w-0 [overflow-wrap:anywhere]">{children}</span>
    </p>
  )
}

/** The other environments whose values the cell can take. */
function sourcesOf({ row, bundle, environments }: CellParts): TakenFrom[] {
  const others = otherValues(bundle.id, row)
  return environments.flatMap((from) => {
    const source = others.find(({ bundle_id }) => bundle_id === from.id)
    return source === undefined ? [] : [{ from, source }]
  })
}

/** The other environments that use the key, and how many other bundles. */
function alsoIn({ row, cell, environments }: CellParts, uses: number): string {
  const here = row.cells.filter(
    ({ key_id, bundle_id }) => key_id === cell.key_id && bundle_id !== cell.bundle_id,
  )
  const names = here.flatMap(({ bundle_id }) => environments.find(({ id }) => id === bundle_id)?.name ?? [])
  const others = uses - 1 - here.length
  return [...names, ...(others > 0 ? [counted(others, 'other bundle')] : [])].join(', ')
}

const NAMED = 3

function Holders({ keyId, version }: { keyId: string; version: number }) {
  const holders = useHolders(keyId).data
  if (holders === undefined) return null
  const stale = holders.filter((holder) => isStale(holder, version))
  const current = holders.length - stale.length
  return (
    <>
      {stale.length > 0 && (
        <Line icon={Users} tone="caution">
          {listed(stale.map(nameOf), NAMED)} {stale.length === 1 ? 'has' : 'have'} {versionsOf(stale)}
        </Line>
      )}
      {current > 0 && (
        <Line icon={CircleCheck} tone="good">
          {current} {current === 1 ? 'has' : 'have'} the current value
        </Line>
      )}
    </>
  )
}

function nameOf(holder: Holder): string {
  const { who, place } = holderNames(holder)
  return place === null ? who : `${who} on ${place}`
}

function versionsOf(holders: readonly Holder[]): string {
  const versions = new Set(holders.map(({ version, perhaps_version }) => version ?? perhaps_version))
  return [...versions].map((version) => `v${version}`).join(', ')
}

type EntryMenuProps = {
  variable: EntryAt
  facts: NonNullable<ComparedCell['facts']>
  changes: CellChanges
  /** Whose values the person can take. */
  sources: readonly TakenFrom[]
}

/** What else a person does with a variable of one environment. */
function EntryMenu({ variable, facts, changes, sources }: EntryMenuProps) {
  const { bundle, name } = variable
  const taking = sources.map((source) => ({
    label: `Take ${source.from.label}’s value`,
    icon: Copy,
    onPick: () => changes.take(variable, source),
  }))
  const items = [...taking, ...(bundle.may_edit ? editing({ variable, facts, changes }) : [])]
  return items.length === 0 ? null : <Menu label={`More for ${name} in ${bundle.name}`} items={items} />
}

function editing({ variable, facts, changes }: Omit<EntryMenuProps, 'sources'>): MenuItem[] {
  const { required, may_detach } = facts
  return [
    { label: 'Rename', icon: Tag, onPick: () => changes.rename(variable) },
    {
      label: required ? 'Not required' : 'Required',
      icon: Asterisk,
      onPick: () => changes.require(variable, !required),
    },
    ...(may_detach
      ? [
          {
            label: `Remove from ${variable.bundle.name}`,
            icon: Unlink,
            gap: true,
            onPick: () => changes.ask(variable),
          },
        ]
      : []),
  ]
}
