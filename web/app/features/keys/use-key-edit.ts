import { type FormEvent, useState } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import type { Key, KeyWithBundles } from '../../lib/answers.ts'
import { type KeyChange, useSaveKey } from '../../lib/keys.ts'
import { useIsOwner } from '../../lib/me.ts'
import { useUnsaved } from '../../lib/unsaved.ts'
import { valueProblem } from '../../lib/value-warnings.ts'
import { notify } from '../../ui/toast-store.ts'

type Draft = { value: string | null; description: string; isSecret: boolean }

/** What has to be answered before a change is saved: whether everyone may read the value, or how far it reaches. */
type Question = 'show' | 'reach' | null

/** The text of a key that is being edited, and what happens on saving it. */
export function useKeyEdit(item: KeyWithBundles) {
  const saving = useSaveKey(item.id)
  const isOwner = useIsOwner()
  const [, navigate] = useLocation()
  const [params] = useSearchParams()
  const [draft, setDraft] = useState<Draft>(() => draftOf(item))
  const [asked, setAsked] = useState<Question>(null)
  const change = changeOf(item, draft)
  const asksReach = isOwner && item.bundles.length > 1
  const saved = useUnsaved(Object.keys(change).length > 0)
  const problem = draft.value === null ? null : valueProblem(draft.value)
  const set = (part: Partial<Draft>) => setDraft({ ...draft, ...part })
  const send = (bundleId: string | null) =>
    saving.mutate(
      { change, bundleId },
      {
        onSuccess: (key) => {
          setAsked(null)
          notify({ text: savedText(item, key) })
          if (key.id === item.id) return setDraft(draftOf(key))
          saved()
          navigate(`/keys/${key.id}`)
        },
      },
    )
  const save = (event: FormEvent) => {
    event.preventDefault()
    if (problem !== null || Object.keys(change).length === 0 || saving.isPending) return
    const question = questionOf(change, asksReach)
    if (question === null) send(null)
    else setAsked(question)
  }
  const cancel = () => setAsked(null)
  const question = { asked, asksReach, bundleId: params.get('bundle'), answer: send, cancel }
  return { draft, set, change, problem, save, saving, question }
}

function questionOf(change: KeyChange, canSplit: boolean): Question {
  if (canSplit && (change.value !== undefined || change.is_secret !== undefined)) return 'reach'
  return change.is_secret === false ? 'show' : null
}

function savedText(before: KeyWithBundles, { id, name }: Key): string {
  return id === before.id ? `Saved ${name}.` : `Created ${name}. ${before.name} stays as it was.`
}

function draftOf({ value, is_secret, description }: Key): Draft {
  return { value: is_secret ? null : value, description, isSecret: is_secret }
}

function changeOf(item: KeyWithBundles, draft: Draft): KeyChange {
  const isNewValue = draft.value !== null && (item.is_secret || draft.value !== item.value)
  return {
    ...(isNewValue && draft.value !== null ? { value: draft.value } : {}),
    ...(draft.description === item.description ? {} : { description: draft.description }),
    ...(draft.isSecret === item.is_secret ? {} : { is_secret: draft.isSecret }),
  }
}
