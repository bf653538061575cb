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
import { ValueConflict } from '../../ui/value-conflict.tsx'
import { ValueField } from '../../ui/value-field.tsx'
import { OldValueHolders } from './key-holders.tsx'
import { ReachDialog } from './reach-dialog.tsx'
import { useKeyEdit } from './use-key-edit.ts'

/** Changes a key. A secret's value can be replaced, never read: its field starts empty, and empty leaves the value as
 * it is unless the person asks to store an empty one. */
export function EditKeyForm({ item }: { item: KeyWithBundles }) {
  const { draft, set, base, change, problem, save, saving, question, conflict, newVersion } = useKeyEdit(item)
  const asking = { busy: saving.isPending, problem: failureText(saving.error), onClose: question.cancel }
  return (
    <Form busy={saving.isPending} onSubmit={save} className="space-y-5">
      {!item.is_secret && (
        <div className="relative">
          <CopyButton text={item.value} what="the value" className="absolute -top-2.5 right-0 z-1" />
        </div>
      )}
      <ValueField
        label={labelOf(item, draft.is_template)}
        value={draft.value ?? ''}
        isSecret={draft.is_secret}
        onChange={(value) => set({ value: value === '' && item.is_secret ? null : value })}
        problem={problem ?? undefined}
        placeholder={item.is_secret && draft.value === null ? 'Leave empty to keep the stored value' : ''}
      />
      {item.is_secret && (draft.value ?? '') === '' && (
        <Checkbox
          label="Store an empty value"
          className="flex items-center gap-3 text-sm text-ink-soft"
          checked={draft.value === ''}
          onChange={(chosen) => set({ value: chosen ? '' : null })}
        />
      )}
      {(item.may_show || change.value !== undefined) && (
        <TemplateChoice
          text={draft.value ?? ''}
          checked={draft.is_template}
          onChange={(is_template) => set({ is_template })}
        />
      )}
      {draft.is_template && problem === null && (
        <TemplateParts
          parts={draft.value === null ? item.template_parts : templateIn(draft.value).parts}
          bundles={item.bundles}
        />
      )}
      {(item.may_show || !item.is_secret) && (
        <SecretCheckbox
          checked={draft.is_secret}
          onChange={(is_secret) => set({ is_secret })}
          isTemplate={draft.is_template}
        />
      )}
      <TextField
        label="Description"
        value={draft.description}
        onChange={(description) => set({ description })}
      />
      <LifetimeFields lifetime={draft} onChange={set} />
      {newVersion !== null && change.value === undefined && (
        <OldValueHolders keyId={item.id} version={newVersion} />
      )}
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
      {conflict.isOpen && <ValueConflict item={item} seen={base.version} {...conflict} />}
      <ConflictNotice conflict={conflict.described} recordId={item.id} />
      {question.asked === null && !conflict.isOpen && !isOvertaken(saving.error) && (
        <FailureNotice error={saving.error} />
      )}
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
