import { useState } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import type { KeyWithBundles, SavedKey } from '../../lib/calls/answers.ts'
import { isOvertaken } from '../../lib/calls/failure.ts'
import { useChange } from '../../lib/calls/use-call.ts'
import { type KeyUpdateInput, useSaveKey } from '../../lib/data/keys.ts'
import { useMay } from '../../lib/data/me.ts'
import { useUnsaved } from '../../lib/page/unsaved.ts'
import { useKeyDraft } from '../../lib/page/use-key-draft.ts'
import { templateIn } from '../../lib/rules/templates.ts'
import { valueProblem } from '../../lib/rules/value-warnings.ts'
import { rotationProblem } from '../../ui/lifetime-fields.tsx'
import { notify, notifyFailure } from '../../ui/toast-store.ts'

/** What has to be answered before a change is saved: whether everyone may read the value, or how far it reaches. */
type EditQuestion = 'show' | 'reach' | null

/** A key that is being edited, and what happens on saving it. */
export function useKeyEdit(item: KeyWithBundles) {
  const may = useMay()
  const [params] = useSearchParams()
  const [asked, setAsked] = useState<EditQuestion>(null)
  const saving = useSaveKey(item.id)
  const { draft, change, reset, ...edit } = useKeyDraft(item, { isSaving: saving.isPending })
  const isTouched = Object.keys(change).length > 0
  const saved = useUnsaved(isTouched)
  const after = useSaved(item, saved)
  const asksReach = may('splitKey') && item.bundles.length > 1
  const { text, is_template } = draft.value
  const problem = text === null ? null : problemOf(text, is_template)
  const onSuccess = (key: SavedKey) => {
    setAsked(null)
    reset()
    after(key)
  }
  const onError = (error: unknown) => isOvertaken(error) && setAsked(null)
  const send = (bundleId: string | null, mark: { is_secret?: boolean } = {}) =>
    saving.mutate({ change: { ...change, ...mark }, bundleId }, { onSuccess, onError })
  const save = () => {
    if (problem !== null || rotationProblem(draft.rotate_after_days) !== null || !isTouched) return
    const question = questionOf(change, asksReach)
    if (question === null) send(null)
    else setAsked(question)
  }
  const bundleId = params.get('bundle')
  const question = { asked, asksReach, bundleId, answer: send, cancel: () => setAsked(null) }
  return { ...edit, draft, change, problem, save, saving, question }
}

/** @returns what takes back a new value that the person has just set, for the notice of its saving */
export function useUndo({ id, name, version: before }: KeyWithBundles) {
  const restore = useChange('restoreKeyVersion', { key_id: id })
  return ({ version }: SavedKey): { undo?: () => void } => {
    // `mutate` drops its callbacks when the page unmounts; this promise still reports the result.
    const undo = () =>
      void restore
        .mutateAsync({ version: before, expected_version: version })
        .then(() => notify({ text: `${name} has the value from before again.` }), notifyFailure)
    return version === before ? {} : { undo }
  }
}

/** What follows a saved change: the page of the key that holds it, and a way to take a new value back. */
function useSaved(item: KeyWithBundles, saved: () => void) {
  const undoOf = useUndo(item)
  const [, navigate] = useLocation()
  const [params] = useSearchParams()
  return (key: SavedKey) => {
    notify({ text: savedText(item, key), ...(key.id === item.id ? undoOf(key) : {}) })
    saved()
    const bundle = params.get('bundle')
    navigate(`/keys/${key.id}${bundle === null ? '' : `?bundle=${bundle}`}`)
  }
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
