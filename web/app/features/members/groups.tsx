import { useState } from 'react'
import type { Group, Member } from '../../lib/calls/answers.ts'
import { useAnswer, useChange, without } from '../../lib/calls/use-call.ts'
import { useEdit } from '../../lib/page/use-edit.ts'
import { listed } from '../../lib/words/counted.ts'
import { shortDay } from '../../lib/words/time.ts'
import { visibleText } from '../../lib/words/visible-text.ts'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { ConfirmChange } from '../../ui/confirm-change.tsx'
import { FormDialog } from '../../ui/dialog-form.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { PeopleChoice } from '../../ui/people-choice.tsx'
import { Rows, Section } from '../../ui/section.tsx'
import { TextArea, TextField } from '../../ui/text-field.tsx'
import { patternsIn } from './limits.tsx'

const SHOWN = 5

/** Named sets of members, for owners. */
export function Groups({ members }: { members: readonly Member[] }) {
  const groups = useAnswer('listGroups', {})
  const [isNew, setNew] = useState(false)
  const [changing, setChanging] = useState<Group | null>(null)
  const [deleting, setDeleting] = useState<Group | null>(null)
  return (
    <Section
      title="Groups"
      size="large"
      className="mt-8"
      intro="A rule can name a group in place of its members. What a group adds, its limited members see beside their limit."
      action={<Button label="New group" size="small" onClick={() => setNew(true)} />}
    >
      <Loaded query={groups} what="the groups">
        {(data) => (
          <Rows label="Groups" none="No groups yet.">
            {data.map((group) => (
              <GroupRow
                key={group.id}
                {...{ group, members }}
                onChange={() => setChanging(group)}
                onDelete={() => setDeleting(group)}
              />
            ))}
          </Rows>
        )}
      </Loaded>
      {isNew && <NewGroupDialog onClose={() => setNew(false)} />}
      {changing !== null && (
        <ChangeGroupDialog
          group={groups.data?.find(({ id }) => id === changing.id) ?? changing}
          members={members}
          onClose={() => setChanging(null)}
        />
      )}
      {deleting !== null && <DeleteGroupDialog group={deleting} onClose={() => setDeleting(null)} />}
    </Section>
  )
}

function namesOf(ids: readonly string[], members: readonly Member[]): string {
  const names = members.flatMap(({ user_id, username }) => (ids.includes(user_id) ? [username] : []))
  return names.length === 0 ? 'Nobody yet' : listed(names, SHOWN)
}

type MemberGroupProps = {
  group: Group
  members: readonly Member[]
  onChange: () => void
  onDelete: () => void
}

function GroupRow({ group, members, onChange, onDelete }: MemberGroupProps) {
  const { people, adds, unconfirmed, unconfirmed_since: since } = group
  const name = visibleText(group.name)
  return (
    <li className="flex min-h-13 flex-wrap items-center gap-2 py-2 pr-2 pl-4">
      <div className="min-w-0 flex-1 basis-52 text-sm [overflow-wrap:anywhere]">
        <p className="font-medium">{name}</p>
        <p className="text-xs text-ink-soft">
          {namesOf(people, members)}
          {adds.length > 0 && `. Adds ${listed(adds, SHOWN)}`}
        </p>
        {unconfirmed.length > 0 && (
          <p className="text-xs text-caution">
            Added by the identity provider{since && ` since ${shortDay(since)}`}, not confirmed:{' '}
            {namesOf(unconfirmed, members)}
          </p>
        )}
      </div>
      <span className="ml-auto flex">
        <Button label="Change" aria-label={`Change ${name}`} look="quiet" size="small" onClick={onChange} />
        <Button label="Delete" aria-label={`Delete ${name}`} look="quiet" size="small" onClick={onDelete} />
      </span>
    </li>
  )
}

type Fields = Pick<Group, 'name' | 'adds' | 'people'>

function NewGroupDialog({ onClose }: { onClose: () => void }) {
  const change = useChange('createGroup', {})
  const [draft, setDraft] = useState<Fields>({ name: '', adds: [], people: [] })
  return (
    <FormDialog
      title="New group"
      action="Create group"
      change={change}
      input={() => draft}
      unsaved={draft.name !== ''}
      done={`Created the group ${draft.name}.`}
      onClose={onClose}
    >
      <GroupFields fields={draft} onChange={(part) => setDraft({ ...draft, ...part })} />
    </FormDialog>
  )
}

type ChangeProps = { group: Group; members: readonly Member[]; onClose: () => void }

function ChangeGroupDialog({ group, members, onClose }: ChangeProps) {
  const { id, name, adds, people, unconfirmed } = group
  const change = useChange('changeGroup', { group_id: id })
  const edit = useEdit<Omit<Group, 'id' | 'unconfirmed_since'>>({ name, adds, people, unconfirmed })
  const { people: confirmed, unconfirmed: waiting } = edit.draft
  // Whom the identity provider added.
  const candidates = members.filter(
    ({ user_id }) => unconfirmed.includes(user_id) && !confirmed.includes(user_id),
  )
  return (
    <FormDialog
      title={`Change ${visibleText(name)}`}
      action="Save"
      change={change}
      input={() => edit.change}
      unsaved={edit.change !== null}
      edited={{
        conflict: edit.conflict,
        recordId: id,
        words: {
          nameOf: (field) => NAMES.get(field) ?? field,
          textOf: (field, value) => textOf(field, value, members),
        },
        isUnchanged: edit.change === null,
      }}
      done={`Changed the group ${edit.draft.name}.`}
      onClose={onClose}
    >
      <GroupFields fields={edit.draft} onChange={edit.set} />
      {candidates.map(({ user_id, username }) => {
        const others = waiting.filter((each) => each !== user_id)
        return (
          <Checkbox
            key={user_id}
            className="flex items-center gap-3 py-1 text-sm"
            label={`Take out ${username}`}
            checked={!waiting.includes(user_id)}
            onChange={(isOut) => edit.set({ unconfirmed: isOut ? others : [...others, user_id].toSorted() })}
          />
        )
      })}
      <p className="text-sm text-ink-soft" aria-live="polite">
        {unconfirmed.length > 0 && confirmSentence(namesOf(unconfirmed, members))}
        What a person who leaves approved, and no terminal has fetched yet, ends. The identity provider does
        not bring them back.
      </p>
    </FormDialog>
  )
}

const confirmSentence = (names: string) =>
  `Tick people to confirm them: ${names}. Until then no rule counts them. Where one asks for a touch, no limit does. `

const NAMES = new Map([
  ['name', 'the name'],
  ['adds', 'what it adds'],
  ['people', 'who is in it'],
  ['unconfirmed', 'who waits to be confirmed'],
])

function textOf(field: string, value: unknown, members: readonly Member[]): string {
  if (!Array.isArray(value)) return String(value)
  return field === 'adds' ? value.join(', ') || 'nothing' : namesOf(value, members)
}

type GroupFieldsProps = { fields: Fields; onChange: (part: Partial<Fields>) => void }

function GroupFields({ fields: { name, adds, people }, onChange }: GroupFieldsProps) {
  const [typed, setTyped] = useState('')
  const isShown = JSON.stringify(patternsIn(typed) ?? []) === JSON.stringify(adds)
  return (
    <>
      <TextField
        label="Name"
        value={name}
        required
        autoComplete="off"
        autoFocus
        onChange={(text) => onChange({ name: text })}
      />
      <TextArea
        label="Adds to limits"
        code="normal"
        rows={2}
        value={isShown ? typed : adds.join('\n')}
        onChange={(text) => {
          setTyped(text)
          onChange({ adds: patternsIn(text) ?? [] })
        }}
        hint="A folder such as partner/, an application such as */shop, or a bundle: one on each line."
      />
      <PeopleChoice legend="Members" chosen={people} onChange={(chosen) => onChange({ people: chosen })} />
    </>
  )
}

function DeleteGroupDialog({ group: { id, name }, onClose }: { group: Group; onClose: () => void }) {
  const change = useChange('deleteGroup', { group_id: id }, { shows: without('listGroups', {}, id) })
  return (
    <ConfirmChange
      title={`Delete ${visibleText(name)}?`}
      action="Delete group"
      change={change}
      done={`Deleted the group ${name}.`}
      onClose={onClose}
    >
      <p>Its members lose what it adds. A rule that names this group alone lets nobody approve.</p>
    </ConfirmChange>
  )
}
