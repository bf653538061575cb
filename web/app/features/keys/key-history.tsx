import { MASK } from '@keyferry/contract/limits'
import { useMemo, useState } from 'react'
import type { Key, KeyVersion, KeyWithBundles } from '../../lib/calls/answers.ts'
import { useAnswer, useChange } from '../../lib/calls/use-call.ts'
import { useMay } from '../../lib/data/me.ts'
import { type DiffLine, lineDiff } from '../../lib/rules/line-diff.ts'
import { counted } from '../../lib/words/counted.ts'
import { elsewhereText } from '../../lib/words/last-change.ts'
import { ago, dateTime } from '../../lib/words/time.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { ConfirmChange } from '../../ui/confirm-change.tsx'
import { FileDiff, RotateCcw, Trash2 } from '../../ui/icons.ts'
import { KeyValue } from '../../ui/key-value.tsx'
import { LoadingState } from '../../ui/loaded.tsx'
import { VirtualList } from '../../ui/virtual-list.tsx'
import { RestoreDialog } from './restore-dialog.tsx'

type VersionQuestion = { what: 'restore' | 'destroy'; version: KeyVersion; current: KeyVersion } | null

/** The versions of a key, newest first, with the ways to restore and to destroy one. */
export function KeyHistory({ item }: { item: KeyWithBundles }) {
  const versions = useAnswer('listKeyVersions', { key_id: item.id, limit: 1_000 })
  const [asked, setAsked] = useState<VersionQuestion>(null)
  const { data } = versions
  const [current] = data ?? []
  if (data === undefined || current === undefined) return <LoadingState query={versions} what="the history" />
  const ask = (what: 'restore' | 'destroy', version: KeyVersion) => setAsked({ what, version, current })
  const close = () => setAsked(null)
  return (
    <>
      <VirtualList
        label="Versions"
        items={data}
        keyOf={({ version }) => String(version)}
        rowHeight={58}
        render={(version) => <VersionRow version={version} current={current} onAsk={ask} />}
      />
      <p className="mt-3 text-sm text-ink-soft">
        {item.is_secret
          ? 'You can restore old values of a secret, but not see them.'
          : 'Old values are shown, unless they were secret.'}
      </p>
      {asked?.what === 'restore' && <RestoreDialog item={item} {...asked} versions={data} onClose={close} />}
      {asked?.what === 'destroy' && <DestroyDialog item={item} version={asked.version} onClose={close} />}
    </>
  )
}

type VersionRowProps = {
  version: KeyVersion
  current: KeyVersion
  onAsk: (what: 'restore' | 'destroy', version: KeyVersion) => void
}

function VersionRow({ version, current, onAsk }: VersionRowProps) {
  const [comparing, setComparing] = useState(false)
  const may = useMay()
  const isComparable = !version.current && canShow(version) && canShow(current)
  return (
    <div className="px-4 py-2">
      <div className="flex items-center gap-x-3">
        <Badge tone={version.current ? 'accent' : 'plain'}>v{version.version}</Badge>
        <div className="min-w-0 flex-1">
          <p className="text-sm" title={dateTime(version.set_at)}>
            {howText(version)} {ago(version.set_at)}
          </p>
          <VersionFacts version={version} />
        </div>
        {isComparable && (
          <IconButton
            label={`Compare v${version.version} with the current value`}
            aria-expanded={comparing}
            onClick={() => setComparing(!comparing)}
            icon={FileDiff}
          />
        )}
        {may('destroyKeyVersion') && !version.current && version.destroyed_at === null && (
          <span className="-mr-2 flex items-center gap-1">
            <Button size="small" aria-label="Restore" onClick={() => onAsk('restore', version)}>
              <RotateCcw aria-hidden size={15} className="sm:hidden" />
              <span className="hidden sm:inline">Restore</span>
            </Button>
            <IconButton
              label={`Destroy v${version.version}`}
              onClick={() => onAsk('destroy', version)}
              icon={Trash2}
            />
          </span>
        )}
      </div>
      {comparing && isComparable && <ValueDiff before={version.value ?? ''} after={current.value ?? ''} />}
    </div>
  )
}

function VersionFacts({ version }: { version: KeyVersion }) {
  const { holders, destroyed_at, value, changed_elsewhere_at } = version
  const facts = [
    version.current ? 'current' : '',
    changed_elsewhere_at === null ? '' : elsewhereText(changed_elsewhere_at),
    holders === 0 ? '' : counted(holders, 'holder'),
    destroyed_at === null ? '' : `value destroyed ${ago(destroyed_at)}`,
  ].filter((fact) => fact !== '')
  return (
    <p className="flex min-w-0 flex-wrap items-center gap-x-2 text-xs text-ink-soft">
      {facts.length > 0 && <span>{facts.join(' · ')}</span>}
      {canShow(version) && <KeyValue value={value ?? ''} isSecret={false} className="max-w-full" />}
    </p>
  )
}

const HOW = {
  set: 'Set',
  import: 'Imported',
  move: 'Moved here',
  convert: 'Converted from a legacy item',
} as const

function howText({ how, set_by, proposed_by, restored_from }: KeyVersion): string {
  const what = how === 'restore' ? `Restored from version ${restored_from}` : HOW[how]
  const proposed = proposed_by === null ? '' : `, proposed by ${proposed_by.name ?? 'a former user'}`
  return `${what} by ${set_by.name ?? 'a former user'}${proposed}`
}

type DestroyDialogProps = { item: Key; version: KeyVersion; onClose: () => void }

/** Asks before the value of an older version is destroyed. */
function DestroyDialog({ item, version: { version }, onClose }: DestroyDialogProps) {
  const given = { key_id: item.id, version: String(version) }
  const destroy = useChange('destroyKeyVersion', given)
  return (
    <ConfirmChange
      title={`Destroy version ${version} of ${item.name}?`}
      action={`Destroy version ${version}`}
      change={destroy}
      done={`Destroyed version ${version} of ${item.name}.`}
      onClose={onClose}
    >
      <p>
        The value is deleted and cannot be restored. Who set it and when stays in the history. Holders keep
        what they were given.
      </p>
    </ConfirmChange>
  )
}

/** Whether a version's value may be shown: it was never secret, and it is still there. */
function canShow({ value }: KeyVersion): boolean {
  return value !== null && value !== MASK
}

const MARKS = { same: ' ', gone: '-', new: '+' } as const
const LOOKS = { same: 'text-ink-soft', gone: 'bg-danger-soft', new: 'bg-good-soft' } as const
const SPOKEN = { same: '', gone: 'removed: ', new: 'added: ' } as const
const MOST_LINES = 400

/** What changed between an older value and the current one, line by line. */
function ValueDiff({ before, after }: { before: string; after: string }) {
  const lines = useMemo(() => lineDiff(before, after), [before, after])
  return (
    <figure className="mt-2 mb-1">
      <figcaption className="text-xs text-ink-soft">From this version (-) to the current one (+)</figcaption>
      <pre
        className="mt-1 max-h-80 overflow-auto rounded-md border border-line bg-sunken py-1 font-mono text-xs whitespace-pre-wrap"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long comparison scrolls by the keyboard
        tabIndex={0}
      >
        {lines.slice(0, MOST_LINES).map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one comparison neither move nor change
          <Line key={index} line={line} />
        ))}
        {lines.length > MOST_LINES && <span className="px-3">{lines.length - MOST_LINES} more lines</span>}
      </pre>
    </figure>
  )
}

function Line({ line: { kind, text } }: { line: DiffLine }) {
  return (
    <span className={classNames('block px-3', LOOKS[kind])}>
      <span aria-hidden>{MARKS[kind]} </span>
      {kind !== 'same' && <span className="sr-only">{SPOKEN[kind]}</span>}
      {text}
    </span>
  )
}
