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
import { notify, withToast } from '../../ui/toast-store.ts'

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
  const { after, newVersion } = useSaved(item, saved)
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
  return { ...edit, draft, change, problem, save, saving, question, newVersion }
}

/** What follows a saved change: what the page says, and a way to take a new value back. */
function useSaved(item: KeyWithBundles, saved: () => void) {
  const may = useMay()
  const restore = useChange('restoreKeyVersion', { key_id: item.id })
  const [, navigate] = useLocation()
  const [newVersion, setNewVersion] = useState<number | null>(null)
  const undoOf = ({ version }: SavedKey) => {
    const undo = () =>
      restore.mutate(
        { version: item.version, expected_version: version },
        withToast(`${item.name} has the value from before again.`),
      )
    return may('restoreKeyVersion') ? { undo } : {}
  }
  const after = (key: SavedKey) => {
    const isNewVersion = key.id === item.id && key.version !== item.version
    setNewVersion(isNewVersion ? key.version : null)
    notify({ text: savedText(item, key), ...(isNewVersion ? undoOf(key) : {}) })
    if (key.id === item.id) return
    saved()
    navigate(`/keys/${key.id}`)
  }
  return { after, newVersion }
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
