import { useState } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import type { Key, KeyWithBundles, SavedKey } from '../../lib/calls/answers.ts'
import { describeFailure } from '../../lib/calls/failure.ts'
import { useChange } from '../../lib/calls/use-call.ts'
import { type KeyLifetime, type KeyUpdateInput, useSaveKey } from '../../lib/data/keys.ts'
import { useMay } from '../../lib/data/me.ts'
import { useUnsaved } from '../../lib/page/unsaved.ts'
import { conflictsOf, picked } from '../../lib/rules/edit.ts'
import { templateIn } from '../../lib/rules/templates.ts'
import { valueProblem } from '../../lib/rules/value-warnings.ts'
import { rotationProblem } from '../../ui/lifetime-fields.tsx'
import { notify, withToast } from '../../ui/toast-store.ts'

/** What has to be answered before a change is saved: whether everyone may read the value, or how far it reaches. */
type EditQuestion = 'show' | 'reach' | null

/** The text of a key that is being edited, and what happens on saving it. */
export function useKeyEdit(item: KeyWithBundles) {
  const may = useMay()
  const [params] = useSearchParams()
  const drafting = useDraft(item)
  const { draft, base, setBase, rebase, change, isTouched } = drafting
  const [asked, setAsked] = useState<EditQuestion>(null)
  const { send, saving, newVersion } = useSaving(item, drafting, () => setAsked(null))
  const asksReach = may('splitKey') && item.bundles.length > 1
  const problem = draft.value === null ? null : problemOf(draft.value, draft.is_template)
  const save = () => {
    if (problem !== null || rotationProblem(draft.rotate_after_days) !== null) return
    if (!isTouched) return
    const question = questionOf(change, asksReach)
    if (question === null) send(null)
    else setAsked(question)
  }
  const answered = (settle: () => void) => () => {
    saving.reset()
    settle()
  }
  const conflict = {
    isOpen: describeFailure(saving.error).code === 'version_conflict',
    keepMine: answered(() => setBase(item)),
    takeTheirs: answered(() => rebase(item)),
    described: {
      conflicts: drafting.conflicts,
      keepMine: answered(() => setBase(item)),
      takeTheirs: answered(drafting.takeDescribed),
    },
  }
  const question = {
    asked,
    asksReach,
    bundleId: params.get('bundle'),
    answer: send,
    cancel: () => setAsked(null),
  }
  return { draft, set: drafting.set, base, change, problem, save, saving, question, conflict, newVersion }
}

function useSaving(
  item: KeyWithBundles,
  { base, rebase, change, isTouched }: ReturnType<typeof useDraft>,
  onAnswer: () => void,
) {
  const saving = useSaveKey(item.id)
  const may = useMay()
  const restore = useChange('restoreKeyVersion', { key_id: item.id })
  const [, navigate] = useLocation()
  const [newVersion, setNewVersion] = useState<number | null>(null)
  const saved = useUnsaved(isTouched)
  const undoOf = ({ version }: SavedKey) => {
    const undo = () =>
      restore.mutate(
        { version: base.version, expected_version: version },
        withToast(`${base.name} has the value from before again.`),
      )
    return may('restoreKeyVersion') ? { undo } : {}
  }
  const onSuccess = (key: SavedKey) => {
    onAnswer()
    const isNewVersion = key.id === item.id && key.version !== base.version
    setNewVersion(isNewVersion ? key.version : null)
    notify({ text: savedText(base, key), ...(isNewVersion ? undoOf(key) : {}) })
    if (key.id === item.id) return rebase({ ...item, ...key })
    saved()
    navigate(`/keys/${key.id}`)
  }
  const onError = (error: unknown) => {
    if (describeFailure(error).code === 'version_conflict') onAnswer()
  }
  const send = (bundleId: string | null, mark: { is_secret?: boolean } = {}) =>
    saving.mutate({ change: { ...change, ...mark }, bundleId }, { onSuccess, onError })
  return { send, saving, newVersion }
}

function problemOf(text: string, isTemplate: boolean): string | null {
  return valueProblem(text) ?? (isTemplate ? templateIn(text).problem : null)
}

function questionOf(change: KeyUpdateInput, canSplit: boolean): EditQuestion {
  const { value, is_secret, is_template } = change
  if (canSplit && [value, is_secret, is_template].some((part) => part !== undefined)) return 'reach'
  return change.is_secret === false ? 'show' : null
}

function savedText(before: KeyWithBundles, { id, name, version }: SavedKey): string {
  if (id !== before.id) return `Created ${name}. ${before.name} stays as it was.`
  return version === before.version ? `Saved ${name}.` : `Saved ${name} as version ${version}.`
}

type Draft = KeyLifetime & Pick<Key, 'description' | 'is_secret' | 'is_template'> & { value: string | null }

/** What a person has typed about a key, and the key as it was read then. When another person changes the key, an
 * untouched draft follows it; a changed one stays. */
function useDraft(item: KeyWithBundles) {
  const [typed, setTyped] = useState({ base: item, draft: draftOf(item) })
  const isTouched = Object.keys(changeOf(typed.base, typed.draft)).length > 0
  const newest = item.updated_at > typed.base.updated_at ? item : typed.base
  const { base, draft } = isTouched ? typed : { base: newest, draft: draftOf(newest) }
  const changed = describedChanges(base, draft)
  const stored = draftOf(item)
  const edit = { changed: picked(draft, changed), seen: picked<Draft>(base, changed) }
  const conflicts = conflictsOf(edit, stored)
  const lost = changed.filter((field) => conflicts.some((conflict) => conflict.field === field))
  return {
    draft,
    base,
    conflicts,
    takeDescribed: () => setTyped({ base: item, draft: { ...draft, ...picked(stored, lost) } }),
    change: changeOf(base, draft),
    isTouched,
    set: (part: Partial<Draft>) => setTyped({ base, draft: { ...draft, ...part } }),
    setBase: (key: KeyWithBundles) => setTyped({ base: key, draft }),
    rebase: (key: KeyWithBundles) => setTyped({ base: key, draft: draftOf(key) }),
  }
}

function draftOf({ value, is_secret, is_template, description, expires_at, rotate_after_days }: Key): Draft {
  return {
    value: is_secret ? null : value,
    is_secret,
    is_template,
    description,
    expires_at,
    rotate_after_days,
  }
}

function changeOf(base: Key, draft: Draft): KeyUpdateInput {
  const { value, is_template } = draft
  const described = describedChanges(base, draft)
  const isNewValue = value !== null && (base.is_secret || value !== base.value)
  return {
    ...(isNewValue ? { value, expected_version: base.version } : {}),
    ...(is_template === base.is_template || (!isNewValue && !base.may_show)
      ? {}
      : { is_template, expected_version: base.version }),
    ...(described.length === 0
      ? {}
      : {
          ...picked<DescriptionDraft>(draft, described),
          expected: picked<DescriptionDraft>(base, described),
        }),
  }
}

const DESCRIBED = ['description', 'is_secret', 'expires_at', 'rotate_after_days'] as const

type DescriptionDraft = Pick<Draft, (typeof DESCRIBED)[number]>

function describedChanges(base: DescriptionDraft, draft: DescriptionDraft) {
  return DESCRIBED.filter((field) => draft[field] !== base[field])
}
