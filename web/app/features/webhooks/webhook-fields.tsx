import { WEBHOOK_LIMITS } from '@keyferry/contract/webhooks/limits'
import type { ReactNode } from 'react'
import type { Bundle } from '../../lib/calls/answers.ts'
import { useAnswer } from '../../lib/calls/use-call.ts'
import type { Webhook, WebhookEvent } from '../../lib/webhooks/answers.ts'
import { EVENT_WORDS, EVENTS } from '../../lib/webhooks/webhook-words.ts'
import { IconButton } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Combobox } from '../../ui/combobox.tsx'
import { DescriptionField } from '../../ui/description-field.tsx'
import { EntryName } from '../../ui/entry-name.tsx'
import { X } from '../../ui/icons.ts'
import { TextField } from '../../ui/text-field.tsx'

export type WebhookFieldValues = Pick<Webhook, 'url' | 'description' | 'events' | 'bundle_ids'>

export const NO_WEBHOOK: WebhookFieldValues = { url: '', description: '', events: [], bundle_ids: [] }

type WebhookFieldsProps = {
  draft: WebhookFieldValues
  problem: string | undefined
  onChange: (change: Partial<WebhookFieldValues>) => void
}

/** The fields of a webhook: where it calls, and for what. */
export function WebhookFields({ draft, problem, onChange }: WebhookFieldsProps) {
  return (
    <>
      <TextField
        label="Address"
        type="url"
        autoFocus
        value={draft.url}
        maxLength={WEBHOOK_LIMITS.urlLength}
        onChange={(url) => onChange({ url })}
        problem={problem}
        hint="Begins with https://. The server sends POST requests to it."
        placeholder="https://hooks.example.com/keyferry"
        code="small"
      />
      <DescriptionField value={draft.description} onChange={(description) => onChange({ description })} />
      <EventChoice events={draft.events} onChange={(events) => onChange({ events })} />
      <BundleChoice bundleIds={draft.bundle_ids} onChange={(bundle_ids) => onChange({ bundle_ids })} />
    </>
  )
}

type EventChoiceProps = { events: readonly WebhookEvent[]; onChange: (events: WebhookEvent[]) => void }

function EventChoice({ events, onChange }: EventChoiceProps) {
  const toggle = (event: WebhookEvent) =>
    onChange(events.includes(event) ? events.filter((each) => each !== event) : [...events, event])
  return (
    <Choice legend="Events" hint="Select none to get all of them, including future ones.">
      <ul className="max-h-56 overflow-auto rounded-md border border-line px-3 py-1">
        {EVENTS.map((event) => (
          <li key={event}>
            <Checkbox
              className="flex items-start gap-2.5 py-1 text-sm"
              boxClass="mt-0.5"
              checked={events.includes(event)}
              onChange={() => toggle(event)}
            >
              <span>
                {EVENT_WORDS[event]}{' '}
                <span translate="no" className="font-mono text-xs text-ink-soft">
                  {event}
                </span>
              </span>
            </Checkbox>
          </li>
        ))}
      </ul>
    </Choice>
  )
}

type BundleChoiceProps = { bundleIds: readonly string[]; onChange: (ids: string[]) => void }

function BundleChoice({ bundleIds, onChange }: BundleChoiceProps) {
  const bundles = useAnswer('listBundles', {}).data ?? []
  const free = bundles.filter(({ id }) => !bundleIds.includes(id))
  return (
    <Choice
      legend="Bundles"
      hint="Select none to get all of them. This limits only the events about bundles and variables."
    >
      <ChosenBundles
        bundles={bundles}
        ids={bundleIds}
        onRemove={(id) => onChange(bundleIds.filter((each) => each !== id))}
      />
      <Combobox
        label="Add a bundle"
        placeholder="prod/api"
        options={free.map(({ id, name, description }) => ({ id, name, detail: description }))}
        chosenId={null}
        onChoose={(id) => onChange([...bundleIds, id])}
      />
    </Choice>
  )
}

function Choice({ legend, hint, children }: { legend: string; hint: string; children: ReactNode }) {
  return (
    <fieldset>
      <legend className="text-sm font-medium">{legend}</legend>
      <p className="mb-1 text-xs text-ink-soft">{hint}</p>
      {children}
    </fieldset>
  )
}

type ChosenBundlesProps = {
  bundles: readonly Bundle[]
  ids: readonly string[]
  onRemove: (id: string) => void
}

/** The bundles that a webhook is limited to, each to be removed. */
function ChosenBundles({ bundles, ids, onRemove }: ChosenBundlesProps) {
  if (ids.length === 0) return null
  return (
    <ul aria-label="Chosen bundles" className="mb-2 divide-y divide-line rounded-md border border-line">
      {ids.map((id) => {
        const name = bundles.find((bundle) => bundle.id === id)?.name ?? 'a deleted bundle'
        return (
          <li key={id} className="flex items-center gap-2 pl-3">
            <EntryName name={name} className="min-w-0 flex-1 font-mono text-sm [overflow-wrap:anywhere]" />
            <IconButton label={`Remove ${name}`} onClick={() => onRemove(id)} icon={X} />
          </li>
        )
      })}
    </ul>
  )
}
