import type { Bundle, ImportChoice, ImportPlan } from '../../lib/calls/answers.ts'
import { crossingSecrets } from '../../lib/rules/crossing-secrets.ts'
import { choiceOf } from '../../lib/words/import-steps.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'

type AllChoicesProps = {
  plan: ImportPlan['plan']
  bundleName: string
  bundles: readonly Bundle[]
  onChoose: (names: readonly string[], choice: ImportChoice) => void
}

const LABELS = { own: 'All own values', share: 'All shared values' } as const

/** One choice for every variable that another bundle delivers too, and a warning where production shares a secret. */
export function AllChoices({ plan, bundleName, bundles, onChoose }: AllChoicesProps) {
  const able = (choice: ImportChoice) => plan.filter(({ choices }) => choices.includes(choice))
  const crossing = new Set(crossingSecrets(plan, bundleName, bundles))
  const toOwn = able('own').flatMap(({ name }) => (crossing.has(name) ? [name] : []))
  return (
    <>
      {(['own', 'share'] as const).map((choice) => {
        const others = able(choice).filter((step) => choiceOf(step) !== choice)
        if (others.length === 0 || able(choice).length < 2) return null
        const names = others.map(({ name }) => name)
        return (
          <Button
            key={choice}
            label={LABELS[choice]}
            size="small"
            className="mt-2 mr-2"
            onClick={() => onChoose(names, choice)}
          />
        )
      })}
      {crossing.size > 0 && (
        <Notice tone="caution" className="mt-2">
          <p>
            Production and another environment would deliver the same secret:{' '}
            <span className="font-mono [overflow-wrap:anywhere]">{[...crossing].join(', ')}</span>. Who reads
            it there has it for production.
          </p>
          {toOwn.length > 0 && (
            <Button
              label="Use own values for these"
              size="small"
              className="mt-2"
              onClick={() => onChoose(toOwn, 'own')}
            />
          )}
        </Notice>
      )}
    </>
  )
}
