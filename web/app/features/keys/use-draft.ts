import { useEffect, useState } from 'react'
import type { Key, KeyWithBundles } from '../../lib/calls/answers.ts'
import type { KeyChange, Lifetime } from '../../lib/data/keys.ts'

export type Draft = {
  value: string | null
  description: string
  isSecret: boolean
  isTemplate: boolean
} & Lifetime

/** What a person has typed about a key, and the key as it was read then. When another person changes the key, an
 * untouched draft follows it; a changed one stays. */
export function useDraft(item: KeyWithBundles) {
  const [base, setBase] = useState(item)
  const [draft, setDraft] = useState<Draft>(() => draftOf(item))
  const change = changeOf(base, draft)
  const isTouched = Object.keys(change).length > 0
  const rebase = (key: KeyWithBundles) => {
    setBase(key)
    setDraft(draftOf(key))
  }
  useEffect(() => {
    if (isTouched || item.updated_at <= base.updated_at) return
    setBase(item)
    setDraft(draftOf(item))
  }, [item, base, isTouched])
  const set = (part: Partial<Draft>) => setDraft({ ...draft, ...part })
  return { draft, set, base, setBase, rebase, change, isTouched }
}

function draftOf({ value, is_secret, is_template, description, expires_at, rotate_after_days }: Key): Draft {
  const marks = { isSecret: is_secret, isTemplate: is_template }
  return { value: is_secret ? null : value, description, ...marks, expires_at, rotate_after_days }
}

function changeOf(base: Key, draft: Draft): KeyChange {
  const { value, description, isSecret, isTemplate, expires_at, rotate_after_days } = draft
  const isNewValue = value !== null && (base.is_secret || value !== base.value)
  return {
    ...(isNewValue ? { value, expected_version: base.version } : {}),
    ...(isTemplate === base.is_template ? {} : { is_template: isTemplate, expected_version: base.version }),
    ...(description === base.description ? {} : { description }),
    ...(isSecret === base.is_secret ? {} : { is_secret: isSecret }),
    ...(expires_at === base.expires_at ? {} : { expires_at }),
    ...(rotate_after_days === base.rotate_after_days ? {} : { rotate_after_days }),
  }
}
