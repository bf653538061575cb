import { useState } from 'react'
import { useAnswer } from '../../lib/calls/use-call.ts'
import { useProduction } from '../../lib/data/bundles.ts'
import { useKeyUses, useStricter } from '../../lib/data/keys.ts'
import { counted } from '../../lib/words/counted.ts'
import { Combobox } from '../combobox.tsx'
import { NameList } from '../name-list.tsx'
import { StricterNotice } from '../stricter-notice.tsx'
import { AffectedBundles, KeyQuestion, type KeyQuestionParts } from './key-question.tsx'

/** Asks for the bundle to attach keys to. */
export function AttachKeys({ keys, bundle: here, ...ending }: KeyQuestionParts) {
  const [bundleId, setBundleId] = useState<string | null>(null)
  const bundles = useAnswer('listBundles', {}).data?.filter(({ id, may_edit }) => id !== here?.id && may_edit)
  const ids = keys.map(({ id }) => id)
  const attached = useKeyUses(ids)?.find(({ id }) => id === bundleId)?.key_count ?? 0
  const stricter = useStricter(ids, bundleId)
  const production = useProduction()
  const name = bundles?.find(({ id }) => id === bundleId)?.name ?? 'the bundle'
  return (
    <KeyQuestion
      title={`Attach ${counted(keys.length, 'key')}`}
      action="Attach"
      isProduction={production?.has(bundleId ?? '') ?? false}
      change={bundleId === null ? null : { action: 'attach', key_ids: ids, bundle_id: bundleId }}
      doneText={({ changed, unchanged }) =>
        `Attached ${counted(changed, 'key')} to ${name}.${unchanged > 0 ? ` ${unchanged} already attached.` : ''}`
      }
      hasList
      {...ending}
    >
      {bundles === undefined ? (
        <p role="status">Looking up the bundles…</p>
      ) : bundles.length === 0 ? (
        <p>There is no other bundle that you can change. Create one first.</p>
      ) : (
        <Combobox
          label="Bundle"
          placeholder="Choose a bundle"
          options={bundles}
          chosenId={bundleId}
          onChoose={setBundleId}
        />
      )}
      <p>The bundle delivers them after its other keys. Terminals get them at the next approval.</p>
      <StricterNotice names={stricter} />
      {attached > 0 && (
        <p role="status">
          {attached} of the {counted(keys.length, 'key')} {attached === 1 ? 'is' : 'are'} attached already.
        </p>
      )}
    </KeyQuestion>
  )
}

/** Asks before keys are declared secret. The opposite shows values, so it is done on each key's own page. */
export function DeclareSecret({ keys, onDone, onClose }: KeyQuestionParts) {
  const open = keys.filter(({ is_secret }) => !is_secret)
  const what = counted(open.length, 'key')
  const already = keys.length - open.length
  return (
    <KeyQuestion
      title={`Mark ${what} as secret?`}
      action={`Mark ${what}`}
      change={{ action: 'declare_secret', key_ids: keys.map(({ id }) => id) }}
      doneText={({ changed }) => `Marked ${counted(changed, 'key')} as secret.`}
      onDone={onDone}
      onClose={onClose}
    >
      <p>Pages and exports show a mask instead of their values. Programs get the same values as before.</p>
      <NameList label="Keys" names={open.map(({ name }) => name)} />
      {already > 0 && (
        <p>
          {already} of the selected keys {already === 1 ? 'is' : 'are'} secret already.
        </p>
      )}
    </KeyQuestion>
  )
}

/** Asks before keys are deleted, and names the bundles that lose them. */
export function DeleteKeys({ keys, onDone, onClose }: KeyQuestionParts) {
  const ids = keys.map(({ id }) => id)
  const uses = useKeyUses(ids)
  const production = useProduction()
  const names = keys.map(({ name }) => name)
  const what = names.length === 1 ? names.join() : counted(names.length, 'key')
  return (
    <KeyQuestion
      title={`Delete ${what}?`}
      action={`Delete ${what}`}
      isProduction={uses?.some(({ id }) => production?.has(id)) ?? false}
      change={uses === undefined || production === undefined ? null : { action: 'delete', key_ids: ids }}
      doneText={() => `Deleted ${what}.`}
      onDone={onDone}
      onClose={onClose}
    >
      <p>All versions are lost for good. This cannot be undone.</p>
      {names.length > 1 && <NameList label="Keys" names={names} />}
      <AffectedBundles uses={uses} />
    </KeyQuestion>
  )
}
