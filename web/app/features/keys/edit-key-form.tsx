import type { KeyWithBundles } from '../../lib/calls/answers.ts'
import { failureText, isOvertaken } from '../../lib/calls/failure.ts'
import type { KeyUpdateInput } from '../../lib/data/keys.ts'
import { templateIn } from '../../lib/rules/templates.ts'
import { counted } from '../../lib/words/counted.ts'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { ConfirmDialog } from '../../ui/confirm-change.tsx'
import { ConflictNotice } from '../../ui/conflict-notice.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Form } from '../../ui/form.tsx'
import { LifetimeFields } from '../../ui/lifetime-fields.tsx'
import { FailureNotice, Notice } from '../../ui/notice.tsx'
import { SecretCheckbox } from '../../ui/secret-checkbox.tsx'
import { TemplateChoice } from '../../ui/template-choice.tsx'
import { TemplateParts } from '../../ui/template-parts.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { ValueField } from '../../ui/value-field.tsx'
import { ReachDialog } from './reach-dialog.tsx'
import { useKeyEdit } from './use-key-edit.ts'

/** Changes a key. A secret's value can be replaced, never read: its field starts empty, and empty leaves the value as
 * it is unless the person asks to store an empty one. */
export function EditKeyForm({ item }: { item: KeyWithBundles }) {
  const { draft, set, setValue, change, problem, save, saving, question, notice } = useKeyEdit(item)
  const { text, is_template } = draft.value
  const asking = { busy: saving.isPending, problem: failureText(saving.error), onClose: question.cancel }
  return (
    <Form busy={saving.isPending} onSubmit={save} className="space-y-5">
      {!item.is_secret && (
        <div className="relative">
          <CopyButton text={item.value} what="the value" className="absolute -top-2.5 right-0 z-1" />
        </div>
      )}
      <ValueField
        label={labelOf(item, is_template)}
        value={text ?? ''}
        isSecret={draft.is_secret}
        onChange={(typed) => setValue({ text: typed === '' && item.is_secret ? null : typed })}
        problem={problem ?? undefined}
        placeholder={item.is_secret && text === null ? 'Leave empty to keep the stored value' : ''}
      />
      {item.is_secret && (text ?? '') === '' && (
        <Checkbox
          label="Store an empty value"
          className="flex items-center gap-3 text-sm text-ink-soft"
          checked={text === ''}
          onChange={(chosen) => setValue({ text: chosen ? '' : null })}
        />
      )}
      {(item.may_show || change.value !== undefined) && (
        <TemplateChoice
          text={text ?? ''}
          checked={is_template}
          onChange={(chosen) => setValue({ is_template: chosen })}
        />
      )}
      {is_template && problem === null && (
        <TemplateParts
          parts={text === null ? item.template_parts : templateIn(text).parts}
          bundles={item.bundles}
        />
      )}
      {(item.may_show || !item.is_secret) && (
        <SecretCheckbox
          checked={draft.is_secret}
          onChange={(is_secret) => set({ is_secret })}
          isTemplate={is_template}
        />
      )}
      <TextField
        label="Description"
        value={draft.description}
        onChange={(description) => set({ description })}
      />
      <LifetimeFields lifetime={draft} onChange={set} />
      <Consequences item={item} change={change} asksReach={question.asksReach} />
      {question.asked === 'show' && (
        <ConfirmDialog
          title={`Show the value of ${item.name}?`}
          action="Show to all members"
          {...asking}
          onConfirm={() => question.answer(null)}
        >
          <p>
            A key that is not secret shows its value to every member of the workspace, in lists and exports
            too. You cannot take back what people have read.
          </p>
        </ConfirmDialog>
      )}
      {question.asked === 'reach' && (
        <ReachDialog
          item={item}
          bundleId={question.bundleId}
          change={change}
          {...asking}
          onConfirm={question.answer}
        />
      )}
      <ConflictNotice {...notice} />
      {question.asked === null && !isOvertaken(saving.error) && <FailureNotice error={saving.error} />}
      <Button
        label="Save changes"
        type="submit"
        look="primary"
        busy={saving.isPending}
        disabled={Object.keys(change).length === 0}
      />
    </Form>
  )
}

function labelOf({ is_secret }: KeyWithBundles, isTemplate: boolean): string {
  if (isTemplate) return is_secret ? 'New text' : 'Text'
  return is_secret ? 'New value' : 'Value'
}

type ConsequencesProps = { item: KeyWithBundles; change: KeyUpdateInput; asksReach: boolean }

function Consequences({ item, change, asksReach }: ConsequencesProps) {
  const reach = item.bundles.length
  return (
    <>
      {change.is_secret === false && (
        <Notice tone="caution">Once saved, every member of the workspace can read the value.</Notice>
      )}
      {(change.value !== undefined || change.is_template !== undefined) && reach > 0 && (
        <Notice tone="caution" role="status">
          {asksReach
            ? `${reach} bundles use this key. On saving you choose whether the value changes in all of them.`
            : `Saving changes ${counted(reach, 'bundle')} at once.`}{' '}
          Programs that run keep the old value until they are started again.
        </Notice>
      )}
    </>
  )
}
