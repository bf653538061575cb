import { isKeyName } from '@keyferry/contract/env/names'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { describeFailure } from '../../lib/calls/failure.ts'
import { useChange } from '../../lib/calls/use-call.ts'
import type { KeyLifetime } from '../../lib/data/keys.ts'
import { useMay, useMe } from '../../lib/data/me.ts'
import { useClosing, useUnsaved } from '../../lib/page/unsaved.ts'
import { templateIn } from '../../lib/rules/templates.ts'
import { valueProblem } from '../../lib/rules/value-warnings.ts'
import { Button } from '../../ui/button.tsx'
import { DescriptionField } from '../../ui/description-field.tsx'
import { Form } from '../../ui/form.tsx'
import { LifetimeFields, rotationProblem } from '../../ui/lifetime-fields.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { SecretChoice } from '../../ui/secret-choice.tsx'
import { TemplateChoice } from '../../ui/template-choice.tsx'
import { TemplateParts } from '../../ui/template-parts.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { notify } from '../../ui/toast-store.ts'
import { ValueField } from '../../ui/value-field.tsx'

/** Creates a key of the library, for those who see keys in no bundle. */
export function NewKeyPage() {
  const me = useMe()
  const may = useMay()
  return (
    <div className="max-w-read">
      <PageHeading title="New key" />
      <Loaded query={me} what="the form">
        {() =>
          may('createKey') ? (
            <KeyForm />
          ) : (
            <Notice tone="plain">
              You see only some bundles. Add the variable on the page of one of them.
            </Notice>
          )
        }
      </Loaded>
    </div>
  )
}

type NewKeyProblems = { name?: string; value?: string }

/** Asks for a new library key. It is secret unless the person says otherwise. */
function KeyForm() {
  const [, navigate] = useLocation()
  const { draft, set, isSecret, setSecret, problems, submit, isPending } = useNewKey()
  const closing = useClosing()
  const template = draft.is_template ? templateIn(draft.value) : null
  return (
    <Form busy={isPending} onSubmit={submit} className="space-y-4">
      <TextField
        label="Name"
        autoFocus
        value={draft.name}
        onChange={(name) => set({ name })}
        problem={problems.name}
        hint="Letters, digits and _, as a program reads it: DATABASE_URL."
        autoCapitalize="characters"
        code="normal"
      />
      <ValueField
        label={template === null ? 'Value' : 'Text'}
        value={draft.value}
        isSecret={isSecret}
        onChange={(value) => set({ value })}
        problem={problems.value}
      />
      <TemplateChoice
        text={draft.value}
        checked={draft.is_template}
        onChange={(is_template) => set({ is_template })}
      />
      {template?.problem === null && <TemplateParts parts={template.parts} bundles={[]} />}
      <SecretChoice isSecret={isSecret} onChange={setSecret} />
      <DescriptionField value={draft.description} onChange={(description) => set({ description })} />
      <LifetimeFields lifetime={draft} onChange={set} />
      <div className="flex justify-end gap-3 pt-2">
        <Button label="Cancel" onClick={() => closing(() => navigate('/'))} />
        <Button label="Create key" type="submit" look="primary" busy={isPending} />
      </div>
    </Form>
  )
}

const NO_LIFETIME: KeyLifetime = { expires_at: null, rotate_after_days: null }

function useNewKey() {
  const [, navigate] = useLocation()
  const create = useChange('createKey', {})
  const [draft, setDraft] = useState({
    name: '',
    value: '',
    is_template: false,
    description: '',
    ...NO_LIFETIME,
  })
  const [isSecret, setSecret] = useState(true)
  const [problems, setProblems] = useState<NewKeyProblems>({})
  const saved = useUnsaved(draft.name !== '' || draft.value !== '' || draft.description !== '')
  const submit = () => {
    const found = problemsOf(draft)
    setProblems(found)
    if (rotationProblem(draft.rotate_after_days) !== null) return
    if (Object.keys(found).length > 0) return
    create.mutate(
      { ...draft, is_secret: isSecret },
      {
        onSuccess: ({ id, name }) => {
          saved()
          navigate(`/keys/${id}`)
          notify({ text: `Created ${name}. Attach it to a bundle to use it.` })
        },
        onError: (error) => setProblems({ name: describeFailure(error).message }),
      },
    )
  }
  const set = (change: Partial<typeof draft>) => setDraft({ ...draft, ...change })
  return { draft, set, isSecret, setSecret, problems, submit, isPending: create.isPending }
}

type Typed = { name: string; value: string; is_template: boolean }

function problemsOf({ name, value, is_template }: Typed): NewKeyProblems {
  const problem = valueProblem(value) ?? (is_template ? templateIn(value).problem : null)
  return {
    ...(isKeyName(name)
      ? {}
      : { name: name === '' ? 'Give the key a name.' : 'Use letters, digits and _ only.' }),
    ...(problem === null ? {} : { value: problem }),
  }
}
