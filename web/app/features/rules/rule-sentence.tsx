import { Fragment, useState } from 'react'
import type { Policy, RulesPlace } from '../../lib/calls/answers.ts'
import { useAnswer } from '../../lib/calls/use-call.ts'
import { useMay, useMe } from '../../lib/data/me.ts'
import { joined } from '../../lib/words/counted.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Circle, CircleCheck, RotateCcw } from '../../ui/icons.ts'
import { Menu, type MenuItem } from '../../ui/menu.tsx'
import { PeopleChoice } from '../../ui/people-choice.tsx'
import {
  aboveName,
  type Chosen,
  choiceOf,
  choicesAt,
  type Field,
  LABELS,
  placeName,
  SENTENCE,
} from './rule-words.ts'

type SentenceProps = {
  place: RulesPlace
  onChoose: (chosen: Chosen) => void
  /** The choice that the focus or the pointer is on; null: no menu is open. */
  onPoint: (chosen: Chosen | null) => void
}

/** The rules of a place as a sentence. An owner changes its words: a marked one is set here, an underlined one comes
 * from above. */
export function RuleSentence(props: SentenceProps) {
  const { place } = props
  const may = useMay()
  const approvers = useApproversText(place.effective)
  // One person on one machine signs nothing.
  const parts = useMe().data?.auth_mode === 'local' ? LOCAL_SENTENCE : SENTENCE
  const canChange = may(place.bundle === null ? 'changeTenantPolicy' : 'changeBundlePolicy')
  const wordOf = (field: Field) =>
    field === 'approvers' ? approvers : choiceOf(field, place.effective[field]).word
  return (
    <p className="mt-2 text-lg leading-9 text-pretty">
      {parts.map(({ field, mark, text }) => (
        <Fragment key={field}>
          <span className="whitespace-nowrap">
            {canChange ? (
              <RuleWord field={field} word={wordOf(field)} {...props} />
            ) : (
              <span className="whitespace-normal">{wordOf(field)}</span>
            )}
            {mark}
          </span>
          {text}
        </Fragment>
      ))}
    </p>
  )
}

const LOCAL_SENTENCE = SENTENCE.flatMap((part) => {
  if (part.field === 'touch') return []
  return [part.field === 'approvals_needed' ? { ...part, text: ' each time, and it is ' } : part]
})

type RuleWordProps = SentenceProps & { field: Field; word: string }

function RuleWord({ place, field, word, onChoose, onPoint }: RuleWordProps) {
  const [isNaming, setNaming] = useState(false)
  const { set, effective, above } = place
  const own = set[field]
  const isSet = own !== null && own === effective[field]
  const pick = (chosen: Chosen) => (chosen.value === 'named' ? setNaming(true) : onChoose(chosen))
  const itemOf = (value: Chosen['value'], texts: Pick<MenuItem, 'label' | 'hint'>): MenuItem => ({
    ...texts,
    icon: value === own ? CircleCheck : Circle,
    isChosen: value === own,
    onPoint: () => onPoint({ field, value }),
    onPick: () => (value === own && value !== 'named' ? undefined : pick({ field, value })),
  })
  const inherited = { label: aboveName(place), hint: choiceOf(field, above[field]).word }
  const items = [
    ...choicesAt(field, place).map(({ value, word: label, hint }) => itemOf(value, { label, hint })),
    { ...itemOf(null, inherited), icon: own === null ? CircleCheck : RotateCcw, gap: true },
  ]
  const label = `${LABELS[field]}, ${placeName(place)}`
  return (
    <>
      <Menu
        label={label}
        buttonLabel={`${label}: ${word}, ${isSet ? 'set here' : 'from above'}`}
        items={items}
        onClose={() => onPoint(null)}
        className={classNames('text-left whitespace-normal', isSet ? 'rule-set' : 'rule-above')}
      >
        {word}
      </Menu>
      {isNaming && (
        <NamedDialog
          chosen={set.people ?? []}
          onClose={() => setNaming(false)}
          onSave={(people) => onChoose({ field, value: 'named', people })}
        />
      )}
    </>
  )
}

type NamedDialogProps = { chosen: readonly string[]; onSave: (people: string[]) => void; onClose: () => void }

function NamedDialog({ chosen, onSave, onClose }: NamedDialogProps) {
  const [people, setPeople] = useState([...chosen])
  return (
    <Dialog title="Who approves" onClose={onClose}>
      <PeopleChoice legend="People who may approve" chosen={people} onChange={setPeople} withGroups />
      <div className="mt-6 flex justify-end gap-3">
        <Button label="Cancel" onClick={onClose} />
        <Button
          label="Save"
          look="primary"
          disabled={people.length === 0}
          onClick={() => {
            onClose()
            onSave(people)
          }}
        />
      </div>
    </Dialog>
  )
}

/** Who may approve, by name where rules name people. */
function useApproversText({ approvers, people }: Pick<Policy, 'approvers' | 'people'>): string {
  const { data: members } = useAnswer('listMembers', {}, { enabled: people !== null })
  const text = choiceOf('approvers', approvers).word
  if (people === null || members === undefined) return text
  const able = members.filter(({ user_id, role }) => {
    const isOnList = people.includes(user_id)
    return isOnList && (approvers !== 'owner' || role === 'owner')
  })
  return able.length === 0
    ? 'Nobody'
    : joined(
        able.map(({ username }) => username),
        'and',
      )
}
