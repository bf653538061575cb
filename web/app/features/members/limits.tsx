import { useState } from 'react'
import type { Member } from '../../lib/calls/answers.ts'
import { useAnswer, useChange } from '../../lib/calls/use-call.ts'
import { useEdit } from '../../lib/page/use-edit.ts'
import { listed } from '../../lib/words/counted.ts'
import { FormDialog } from '../../ui/dialog-form.tsx'
import { TextArea } from '../../ui/text-field.tsx'

const SHOWN = 5

/** What a limited member sees, as a sentence. */
export function limitSentence(patterns: readonly string[]): string {
  return `Sees only ${listed(patterns.map(patternWords), SHOWN)}`
}

function patternWords(pattern: string): string {
  if (pattern.endsWith('/')) return `bundles in ${pattern}`
  return pattern.startsWith('*/') ? `${pattern.slice(2)} in every environment` : `the bundle ${pattern}`
}

/** What a person typed; null: nothing. */
export function patternsIn(text: string): string[] | null {
  const patterns = text.split(/[\s,]+/).filter((pattern) => pattern !== '')
  return patterns.length === 0 ? null : [...new Set(patterns)].toSorted()
}

/** Sets, changes or ends the limit of a member. */
export function LimitDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const { user_id, username } = member
  const change = useChange('changeMemberLimit', { user_id }, { refreshes: ['listMembers'] })
  const edit = useEdit<{ limited_to: string[] | null }>({ limited_to: member.limited_to ?? null })
  const { limited_to } = edit.draft
  const groups = useAnswer('listGroups', {}).data ?? []
  const own = groups.filter(({ people, unconfirmed }) => [...people, ...unconfirmed].includes(user_id))
  const added = [...new Set(own.flatMap(({ adds }) => adds))]
  const [typed, setTyped] = useState('')
  const isShown = JSON.stringify(patternsIn(typed)) === JSON.stringify(limited_to)
  return (
    <FormDialog
      title={`Limit what ${username} sees`}
      action={limited_to === null ? 'Show everything' : 'Limit'}
      change={change}
      input={() => edit.change && { ...edit.change, limited_to }}
      unsaved={edit.change !== null}
      edited={{
        conflict: edit.conflict,
        recordId: user_id,
        words: { nameOf: () => 'what they see', textOf: (_, value) => limitText(value) },
        isUnchanged: edit.change === null,
      }}
      done={`${username}: ${limitText(limited_to)}.`}
      onClose={onClose}
    >
      <TextArea
        label="Bundles"
        code="normal"
        rows={4}
        value={isShown ? typed : (limited_to ?? []).join('\n')}
        onChange={(text) => {
          setTyped(text)
          edit.set({ limited_to: patternsIn(text) })
        }}
        hint="A folder such as partner/, an application such as */shop, or a bundle: one on each line. Leave it empty to show everything."
      />
      <p className="text-sm text-ink-soft" aria-live="polite">
        {limitText(limited_to)}.{limited_to && added.length > 0 && ` Groups add ${listed(added, SHOWN)}.`} A
        new bundle counts by its name. What they approved, and no terminal has fetched yet, ends.
      </p>
    </FormDialog>
  )
}

const limitText = (value: unknown) =>
  Array.isArray(value) ? limitSentence(value.map(String)) : 'Sees everything'
