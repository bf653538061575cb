import { MASK } from '@keyferry/contract/limits'
import { useMemo, useState } from 'react'
import type { Key, KeyVersion, KeyWithBundles } from '../../lib/calls/answers.ts'
import { useChange } from '../../lib/calls/use-call.ts'
import { useMay } from '../../lib/data/me.ts'
import { type DiffLine, lineDiff } from '../../lib/rules/line-diff.ts'
import { elsewhereText } from '../../lib/words/last-change.ts'
import { dateTime, shortDay } from '../../lib/words/time.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { ConfirmChange } from '../../ui/confirm-change.tsx'
import { FileDiff, Trash2 } from '../../ui/icons.ts'
import { KeyValue } from '../../ui/key-value.tsx'
import { Section } from '../../ui/section.tsx'
import { RestoreDialog } from './restore-dialog.tsx'

type VersionQuestion = { what: 'restore' | 'destroy'; version: KeyVersion; current: KeyVersion } | null

const FIRST = 6
const MORE = 100

type KeyVersionsProps = { item: KeyWithBundles; versions: readonly KeyVersion[] }

/** The versions of a key, newest first, with the ways to restore and to destroy one. */
export function KeyVersions({ item, versions }: KeyVersionsProps) {
  const [asked, setAsked] = useState<VersionQuestion>(null)
  const [count, setCount] = useState(FIRST)
  const [current] = versions
  if (current === undefined) return null
  const ask = (what: 'restore' | 'destroy', version: KeyVersion) => setAsked({ what, version, current })
  const close = () => setAsked(null)
  return (
    <Section title="Versions">
      <ul aria-label="Versions" className="mt-1">
        {versions.slice(0, count).map((version) => (
          <VersionRow key={version.version} version={version} current={current} onAsk={ask} />
        ))}
      </ul>
      {count < versions.length && (
        <Button
          label={`Show older versions of ${versions.length}`}
          size="small"
          look="quiet"
          onClick={() => setCount(count + MORE)}
        />
      )}
      {asked?.what === 'restore' && (
        <RestoreDialog item={item} {...asked} versions={versions} onClose={close} />
      )}
      {asked?.what === 'destroy' && <DestroyDialog item={item} version={asked.version} onClose={close} />}
    </Section>
  )
}

type VersionRowProps = {
  version: KeyVersion
  current: KeyVersion
  onAsk: (what: 'restore' | 'destroy', version: KeyVersion) => void
}

function VersionRow({ version, current, onAsk }: VersionRowProps) {
  const [comparing, setComparing] = useState(false)
  const isComparable = !version.current && canShow(version) && canShow(current)
  return (
    <li className="group">
      <div className="flex min-h-9 items-center gap-x-2">
        <p className="min-w-0 flex-1" title={`${howText(version)}, ${dateTime(version.set_at)}`}>
          <b className="mr-2 font-semibold">v{version.version}</b>
          {version.set_by.name ?? 'a former user'}, {shortDay(version.set_at)}
          <VersionFacts version={version} />
        </p>
        {isComparable && (
          <IconButton
            label={`Compare v${version.version} with the current value`}
            aria-expanded={comparing}
            onClick={() => setComparing(!comparing)}
            icon={FileDiff}
          />
        )}
        <VersionActs version={version} onAsk={(what) => onAsk(what, version)} />
      </div>
      {comparing && isComparable && <ValueDiff before={version.value ?? ''} after={current.value ?? ''} />}
    </li>
  )
}

type VersionActsProps = { version: KeyVersion; onAsk: (what: 'restore' | 'destroy') => void }

function VersionActs({ version, onAsk }: VersionActsProps) {
  const may = useMay()
  if (version.current) return <Badge tone="good">current</Badge>
  if (version.destroyed_at !== null) {
    return (
      <span className="text-xs text-ink-soft" title={dateTime(version.destroyed_at)}>
        destroyed
      </span>
    )
  }
  if (!may('destroyKeyVersion')) return null
  return (
    <>
      <IconButton
        label={`Destroy v${version.version}`}
        onClick={() => onAsk('destroy')}
        icon={Trash2}
        className="group-hover:opacity-100 focus-visible:opacity-100 sm:opacity-0"
      />
      <Button label="Restore" size="small" onClick={() => onAsk('restore')} />
    </>
  )
}

/** What is unusual about a version, and its value where everybody may read it. */
function VersionFacts({ version }: { version: KeyVersion }) {
  const { proposed_by, restored_from, how, changed_elsewhere_at: elsewhere } = version
  const facts = [
    how === 'restore' ? `restored from version ${restored_from}` : '',
    proposed_by === null ? '' : `proposed by ${proposed_by.name ?? 'a former user'}`,
    elsewhere === null ? '' : elsewhereText(elsewhere),
  ].filter((fact) => fact !== '')
  return (
    <span className="flex min-w-0 flex-wrap gap-x-2 text-xs text-ink-soft">
      {facts.length > 0 && <span>{facts.join(', ')}</span>}
      {canShow(version) && <KeyValue value={version.value ?? ''} isSecret={false} className="max-w-full" />}
    </span>
  )
}

const HOW = {
  set: 'Set',
  import: 'Imported',
  move: 'Moved here',
  convert: 'Converted from an old item',
} as const

function howText({ how, set_by, restored_from }: KeyVersion): string {
  const what = how === 'restore' ? `Restored from version ${restored_from}` : HOW[how]
  return `${what} by ${set_by.name ?? 'a former user'}`
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
        translate="no"
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
