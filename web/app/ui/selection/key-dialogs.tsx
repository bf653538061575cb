import { useState } from 'react'
import type { KeyUse } from '../../lib/calls/answers.ts'
import { useAnswer } from '../../lib/calls/use-call.ts'
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
  const name = bundles?.find(({ id }) => id === bundleId)?.name ?? 'the bundle'
  return (
    <KeyQuestion
      title={`Attach ${counted(keys.length, 'key')}`}
      action="Attach"
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

/** Asks before keys are detached: from the bundle of this page, or from one that the person chooses. */
export function DetachKeys({ keys, bundle: here, ...ending }: KeyQuestionParts) {
  const ids = keys.map(({ id }) => id)
  const uses = useKeyUses(ids)?.filter(({ may_detach }) => may_detach)
  const [picked, setPicked] = useState<string | null>(here?.id ?? null)
  const only = uses?.length === 1 ? uses[0] : undefined
  const chosenId = picked ?? only?.id ?? null
  const bundle = uses?.find(({ id }) => id === chosenId)
  return (
    <KeyQuestion
      title={`Detach ${counted(keys.length, 'key')}?`}
      action="Detach"
      change={bundle === undefined ? null : { action: 'detach', key_ids: ids, bundle_id: bundle.id }}
      doneText={({ changed }) =>
        `Detached ${counted(changed, 'key')} from ${bundle?.name}. They stay in the library.`
      }
      hasList={here === null && only === undefined}
      {...ending}
    >
      {(here === null || uses?.length === 0) && (
        <BundleOf uses={uses} chosenId={chosenId} onChoose={setPicked} />
      )}
      {bundle !== undefined && (
        <p>
          {bundle.name} delivers {bundle.key_count} of the {counted(keys.length, 'key')}. Programs that start
          with it do not get them any more. The keys stay in the library.
        </p>
      )}
    </KeyQuestion>
  )
}

type BundleOfProps = {
  uses: readonly KeyUse[] | undefined
  chosenId: string | null
  onChoose: (id: string) => void
}

function BundleOf({ uses, chosenId, onChoose }: BundleOfProps) {
  if (uses === undefined) return <p role="status">Looking up the bundles that use them…</p>
  if (uses.length === 0)
    return <p>You may not take these keys out of a bundle. The rules of the bundles say who may.</p>
  const options = uses.map(({ id, name, key_count }) => ({ id, name, detail: counted(key_count, 'key') }))
  return (
    <Combobox
      label="Bundle"
      placeholder="Choose a bundle"
      options={options}
      chosenId={chosenId}
      onChoose={onChoose}
    />
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
  const names = keys.map(({ name }) => name)
  const what = names.length === 1 ? names.join() : counted(names.length, 'key')
  return (
    <KeyQuestion
      title={`Delete ${what}?`}
      action={`Delete ${what}`}
      look="danger"
      change={uses === undefined ? null : { action: 'delete', key_ids: ids }}
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
