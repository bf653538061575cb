import { useState } from 'react'
import type { Policy, RulesPlace } from '../../lib/calls/answers.ts'
import { useAnswer } from '../../lib/calls/use-call.ts'
import { useMay, useMe } from '../../lib/data/me.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Circle, CircleCheck, RotateCcw } from '../../ui/icons.ts'
import { Menu, type MenuItem } from '../../ui/menu.tsx'
import { PeopleChoice } from '../../ui/people-choice.tsx'
import {
  ANSWERS,
  aboveName,
  type Chosen,
  choiceOf,
  choicesAt,
  type Field,
  placeName,
  QUESTIONS,
  type RuleQuestion,
} from './rule-words.ts'

type SentenceProps = {
  place: RulesPlace
  onChoose: (chosen: Chosen) => void
  /** The choice that the focus or the pointer is on; null: no menu is open. */
  onPoint: (chosen: Chosen | null) => void
}

/** The rules of a place as a sentence, and who may change values. An owner changes its words: a marked one is set here,
 * an underlined one comes from above. */
export function RuleSentence(props: SentenceProps) {
  const { effective } = props.place
  const names = useNames(effective)
  const isOne = names !== null && (effective.approvals_needed === 1 || names.length < 2)
  const word = (question: RuleQuestion, mark = '') => (
    <RuleWord {...props} {...{ question, mark }} word={ANSWERS[question](effective, names)} />
  )
  return (
    <>
      <p className="mt-2 text-lg leading-9 text-pretty">
        {word('who')} {isOne ? 'says' : 'say'} yes, and {word('how', '.')} It counts {word('long', ';')} for
        agents {word('agents', '.')}
      </p>
      <p className="mt-1 text-sm">
        {QUESTIONS.changers.label}: {word('changers', '.')}
      </p>
    </>
  )
}

/** `mark`: the punctuation after the word. It is in the same button, so that it stays with the word at a line break. */
type RuleWordProps = SentenceProps & { question: RuleQuestion; word: string; mark: string }

function RuleWord({ place, question, word, mark, onChoose, onPoint }: RuleWordProps) {
  const [isNaming, setNaming] = useState(false)
  const may = useMay()
  // One person on one machine signs nothing.
  const isLocal = useMe().data?.auth_mode === 'local'
  const { set, effective, above } = place
  const { label: short, fields } = QUESTIONS[question]
  if (!may(place.bundle === null ? 'changeTenantPolicy' : 'changeBundlePolicy')) return word + mark
  const isSet = fields.some((field) => set[field] !== null && set[field] === effective[field])
  const pick = (chosen: Chosen) => (chosen.value === 'named' ? setNaming(true) : onChoose(chosen))
  const itemsOf = (field: Field): MenuItem[] => {
    const own = set[field]
    const itemOf = (value: Chosen['value'], texts: Pick<MenuItem, 'label' | 'hint'>): MenuItem => ({
      ...texts,
      icon: value === own ? CircleCheck : Circle,
      isChosen: value === own,
      onPoint: () => onPoint({ field, value }),
      onPick: () => (value === own && value !== 'named' ? undefined : pick({ field, value })),
    })
    const choices = choicesAt(field, place)
    if ((choices.length === 0 && own === null) || (isLocal && field === 'touch')) return []
    const inherited = { label: `${aboveName(place)}: ${choiceOf(field, above[field]).word}` }
    return [
      ...choices.map(({ value, word: label, hint }) => itemOf(value, { label, hint })),
      { ...itemOf(null, inherited), icon: own === null ? CircleCheck : RotateCcw },
    ]
  }
  const groups = fields.map(itemsOf).filter((items) => items.length > 0)
  const label = `${short}, ${placeName(place)}`
  return (
    <>
      <Menu
        label={label}
        buttonLabel={`${label}: ${word}, ${isSet ? 'set here' : 'from above'}`}
        items={groups.flatMap(([first, ...others], index) =>
          first === undefined ? [] : [{ ...first, gap: index > 0 }, ...others],
        )}
        onClose={() => onPoint(null)}
        className={classNames('text-left', isSet ? 'rule-set' : 'rule-above')}
      >
        {word + mark}
      </Menu>
      {isNaming && (
        <NamedDialog
          chosen={set.people ?? []}
          onClose={() => setNaming(false)}
          onSave={(people) => onChoose({ field: 'approvers', value: 'named', people })}
        />
      )}
    </>
  )
}

type NamedDialogProps = { chosen: readonly string[]; onSave: (people: string[]) => void; onClose: () => void }

function NamedDialog({ chosen, onSave, onClose }: NamedDialogProps) {
  const [people, setPeople] = useState([...chosen])
  return (
    <Dialog title="Who may say yes" onClose={onClose}>
      <PeopleChoice legend="People who may say yes" chosen={people} onChange={setPeople} withGroups />
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

/** Who may say yes, where rules name people; null: rules name nobody. */
function useNames({ approvers, people }: Policy): string[] | null {
  const { data: members } = useAnswer('listMembers', {}, { enabled: people !== null })
  if (people === null || members === undefined) return null
  const able = members.filter(({ user_id, role }) => {
    return people.includes(user_id) && (approvers !== 'owner' || role === 'owner')
  })
  return able.map(({ username }) => username)
}
