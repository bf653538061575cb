import { isProduction } from '@keyferry/contract/production'
import { type ReactNode, useState } from 'react'
import { call } from '../../lib/calls/call.ts'
import { LIBRARY } from '../../lib/calls/refreshes.ts'
import { useAnswer, useSteps } from '../../lib/calls/use-call.ts'
import { ConfirmDialog } from '../../ui/confirm-change.tsx'
import { deferred } from '../../ui/deferred.tsx'
import { failing, notify } from '../../ui/toast-store.ts'
import { RenameEntryDialog } from './cells/entry-dialogs.tsx'
import type { EntryAt, EnvironmentColumn, TakenFrom } from './environment/environments.ts'
import type { MatrixRow } from './matrix-rows.ts'

export type CellChanges = ReturnType<typeof useCellChanges>

const CopyDialog = deferred('CopyDialog', () => import('./copy-dialog.tsx'))

const FRESH = { refreshes: LIBRARY }

type Done = { text: string; undo?: () => Promise<unknown> }

/** What a person may do with a variable of an environment in one step, each with a way to take it back. */
export function useCellChanges() {
  const [asked, setAsked] = useState<Question | null>(null)
  const [renamed, setRenamed] = useState<Renamed | null>(null)
  const [taken, setTaken] = useState<(EntryAt & TakenFrom) | null>(null)
  const steps = useSteps((run: () => Promise<unknown>) => run(), FRESH)
  const make = (act: string, run: () => Promise<unknown>, done: Done) => {
    const { text, undo } = done
    const takeBack = (back: () => Promise<unknown>) =>
      steps.mutate(back, { onError: failing(`undo “${act}”`) })
    const back = undo === undefined ? {} : { undo: () => takeBack(undo) }
    steps.mutate(run, { onError: failing(act), onSuccess: () => notify({ text, ...back }) })
  }
  const detach = ({ bundle: { id: bundle_id, name: from }, name, cell: { key_id, facts } }: EntryAt) => {
    if (key_id === null || facts === undefined) return
    const { required, order, may_show } = facts
    const undo = () => call('attachKey', { bundle_id, key_id, as: name, required, order })
    const text = `Removed ${name} from ${from}. Its value is kept.`
    make(`remove ${name} from ${from}`, () => call('detachKey', { bundle_id, key_id }), {
      text,
      ...(may_show ? { undo } : {}),
    })
  }
  const ask = (variable: EntryAt) => {
    const { bundle, name, cell } = variable
    if (!bundle.may_edit || cell.facts?.may_detach !== true) return
    const text = `Programs that start with ${bundle.name} do not get ${name} any more. You can undo this.`
    const run = () => detach(variable)
    if (isProduction(bundle))
      setAsked({ title: `Remove ${name} from production?`, action: 'Remove', text, run })
    else run()
  }
  const split = ({ bundle: { id: bundle_id, name: here }, name, cell: { key_id } }: EntryAt) => {
    if (key_id === null) return
    let copy = ''
    const run = async () => {
      copy = (await call('splitKey', { bundle_id, key_id })).id
    }
    const undo = () => call('changeAttachment', { bundle_id, key_id: copy }, { body: { key_id } })
    make(`give ${here} its own ${name}`, run, {
      text: `${here} has its own ${name}, with the same value.`,
      undo,
    })
  }
  const require = ({ bundle, name, cell: { key_id } }: EntryAt, required: boolean) => {
    if (key_id === null) return
    const onError = failing(`change ${name} in ${bundle.name}`)
    steps.mutate(() => call('changeAttachment', { bundle_id: bundle.id, key_id, required }), { onError })
  }
  const share = (bundle: EnvironmentColumn, row: MatrixRow, environments: readonly EnvironmentColumn[]) => {
    const source = sourceOf(row, environments)
    const isMissing = row.cells.some(({ bundle_id, state }) => bundle_id === bundle.id && state === 'missing')
    if (source === null || !isMissing || !bundle.may_edit) return
    const { id: bundle_id } = bundle
    const { keyId: key_id, from } = source
    const same = `the same as ${from.label}`
    const run = () =>
      make(`give ${bundle.name} ${row.name}`, () => call('attachKey', { bundle_id, key_id, as: row.name }), {
        text: `${bundle.name} has ${row.name}, ${same}.`,
        undo: () => call('detachKey', { bundle_id, key_id }),
      })
    const text = `${bundle.name} and ${from.name} then share one value: a change in one changes the other.`
    if (isProduction(bundle))
      setAsked({ title: `Give production ${row.name}, ${same}?`, action: 'Share', text, run })
    else run()
  }
  // With the table and not with the row, which is another one once its name changes.
  const rename = ({ bundle, cell }: EntryAt) => setRenamed({ bundleId: bundle.id, keyId: cell.key_id })
  const take = (variable: EntryAt, source: TakenFrom) => setTaken({ ...variable, ...source })
  const dialog: ReactNode = (
    <>
      {asked !== null && (
        <ConfirmDialog
          {...asked}
          isProduction
          onClose={() => setAsked(null)}
          onConfirm={() => {
            setAsked(null)
            asked.run()
          }}
        >
          <p>{asked.text}</p>
        </ConfirmDialog>
      )}
      {renamed !== null && <RenameDialog {...renamed} onClose={() => setRenamed(null)} />}
      {taken !== null && <CopyDialog to={taken.bundle} copies={[taken]} onClose={() => setTaken(null)} />}
    </>
  )
  return { ask, split, require, share, rename, take, dialog }
}

/** The first environment whose key the person may put into another one. */
export function sourceOf({ cells }: MatrixRow, environments: readonly EnvironmentColumn[]) {
  const cell = cells.find(({ facts }) => facts?.may_show === true)
  const from = environments.find(({ id }) => id === cell?.bundle_id)
  return cell == null || cell.key_id === null || from === undefined ? null : { keyId: cell.key_id, from }
}

type Renamed = { bundleId: string; keyId: string | null }

function RenameDialog({ bundleId, keyId, onClose }: Renamed & { onClose: () => void }) {
  const bundle = useAnswer('getBundle', { bundle_id: bundleId }).data
  const item = bundle?.items.find(({ id }) => id === keyId)
  return bundle === undefined || item === undefined ? null : (
    <RenameEntryDialog {...{ bundle, item, onClose }} />
  )
}

type Question = { title: string; action: string; text: string; run: () => void }
