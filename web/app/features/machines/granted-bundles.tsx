import { useState } from 'react'
import type { Bundle } from '../../lib/calls/answers.ts'
import { useAnswer, useChange } from '../../lib/calls/use-call.ts'
import { useMay } from '../../lib/data/me.ts'
import type { Machine, MachineGrant } from '../../lib/machines/answers.ts'
import { SCOPES } from '../../lib/machines/machine-state.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Combobox } from '../../ui/combobox.tsx'
import { FormDialog } from '../../ui/dialog-form.tsx'
import { EntryLink } from '../../ui/entry-name.tsx'
import { Plus, X } from '../../ui/icons.ts'
import { FailureNotice } from '../../ui/notice.tsx'
import { Rows, Section } from '../../ui/section.tsx'
import { Select, SelectField } from '../../ui/select.tsx'
import { StricterNotice } from '../../ui/stricter-notice.tsx'
import { failing, withToast } from '../../ui/toast-store.ts'

/** The bundles that a machine may use; an owner adds, changes and removes them. */
export function GrantedBundles({ machine }: { machine: Machine }) {
  const may = useMay()
  const [isAdding, setAdding] = useState(false)
  const { grants } = machine
  return (
    <Section
      title="Bundles"
      count={grants.length}
      intro="The machine gets all variables of a bundle. To give it fewer, create a bundle with only those."
      action={
        may('grantBundle') && (
          <Button label="Add bundle" size="small" onClick={() => setAdding(true)} icon={Plus} />
        )
      }
    >
      <Rows label="Bundles" none="None yet.">
        {grants.map((grant) => (
          <GrantRow key={grant.bundle.id} machine={machine} grant={grant} />
        ))}
      </Rows>
      {isAdding && <AddBundleDialog machine={machine} onClose={() => setAdding(false)} />}
    </Section>
  )
}

type GrantRowProps = { machine: Machine; grant: MachineGrant }

function GrantRow({ machine, grant: { bundle, scope } }: GrantRowProps) {
  const may = useMay()
  const given = { machine_id: machine.id, bundle_id: bundle.id }
  const grant = useChange('grantBundle', given)
  const revoke = useChange('revokeBundle', given)
  const [isAsking, setAsking] = useState(false)
  const undo = () => grant.mutate({ scope, expected: { scope: null } }, { onError: failing('give it back') })
  const { onSuccess, onError } = withToast(
    'remove it',
    `${machine.name} may not use ${bundle.name} now.`,
    undo,
  )
  // The row may be gone by then, so callbacks of a plain `mutate` may not run.
  const remove = () => void revoke.mutateAsync(undefined).then(onSuccess, onError)
  return (
    <li className="flex min-h-13 flex-wrap items-center gap-x-3 gap-y-1 py-2 pr-2 pl-4">
      <EntryLink
        href={`/bundles/${bundle.id}`}
        name={bundle.name}
        className="min-w-0 flex-1 basis-44 font-mono text-sm font-medium [overflow-wrap:anywhere] hover:underline"
      />
      {may('grantBundle') ? (
        <div className="ml-auto flex items-center gap-1">
          <Select
            aria-label={`What it may do with ${bundle.name}`}
            value={scope}
            disabled={grant.isPending}
            options={SCOPES}
            onChange={(chosen) =>
              chosen === 'deliver'
                ? setAsking(true)
                : grant.mutate(
                    { scope: chosen, expected: { scope } },
                    { onError: failing('change its scope') },
                  )
            }
            className="field w-auto text-sm"
          />
          <IconButton
            label={`Remove ${bundle.name}`}
            disabled={revoke.isPending}
            onClick={remove}
            icon={X}
            px={17}
          />
        </div>
      ) : (
        <span className="pr-2 text-sm text-ink-soft">{SCOPES[scope]}</span>
      )}
      {isAsking && <FetchDialog machine={machine} bundle={bundle} onClose={() => setAsking(false)} />}
    </li>
  )
}

const UNASKED =
  'With “Fetch values”, the machine can get all values of the bundle at any time, without an approval.'

type FetchDialogProps = { machine: Machine; bundle: MachineGrant['bundle']; onClose: () => void }

/** Asks before a machine that reads the names of a bundle may fetch its values. */
function FetchDialog({ machine, bundle, onClose }: FetchDialogProps) {
  const grant = useChange('grantBundle', { machine_id: machine.id, bundle_id: bundle.id })
  return (
    <FormDialog
      title={`Let ${machine.name} fetch values?`}
      action="Let it fetch values"
      change={grant}
      input={() => ({ scope: 'deliver' as const, expected: { scope: 'read' as const } })}
      done={`${machine.name} may now fetch the values of ${bundle.name}.`}
      onClose={onClose}
    >
      <p className="text-sm">{UNASKED}</p>
      <StricterOf bundleId={bundle.id} />
    </FormDialog>
  )
}

/** The secrets of a bundle for which others have stricter rules. */
function StricterOf({ bundleId }: { bundleId: string }) {
  const policy = useAnswer('getBundlePolicy', { bundle_id: bundleId })
  return (
    <>
      <FailureNotice error={policy.error} act="read its rules" />
      <StricterNotice names={policy.data?.stricter ?? []} />
    </>
  )
}

/** Lets a machine use one more bundle. */
function AddBundleDialog({ machine, onClose }: { machine: Machine; onClose: () => void }) {
  const bundles = useAnswer('listBundles', {})
  const grant = useChange('grantBundle', { machine_id: machine.id })
  const [chosen, setChosen] = useState<Bundle | null>(null)
  const [scope, setScope] = useState<'deliver' | 'read'>('deliver')
  const [problem, setProblem] = useState<string | null>(null)
  const granted = new Set(machine.grants.map(({ bundle }) => bundle.id))
  const free = (bundles.data ?? []).filter(({ id }) => !granted.has(id))
  const input = () => {
    setProblem(chosen === null ? 'Choose a bundle.' : null)
    return chosen === null ? null : { bundle_id: chosen.id, scope, expected: { scope: null } }
  }
  return (
    <FormDialog
      title="Add a bundle"
      action="Add bundle"
      change={grant}
      input={input}
      done={`${machine.name} may now use ${chosen?.name}.`}
      onClose={onClose}
    >
      <Combobox
        label="Bundle"
        placeholder="prod/api"
        options={free.map(({ id, name, description }) => ({ id, name, detail: description }))}
        chosenId={chosen?.id ?? null}
        onChoose={(id) => {
          setChosen(free.find((bundle) => bundle.id === id) ?? null)
          setProblem(null)
        }}
      />
      <FailureNotice error={bundles.error} act="list the bundles" />
      {scope === 'deliver' && chosen !== null && <StricterOf bundleId={chosen.id} />}
      {problem !== null && (
        <p role="alert" className="text-sm font-medium">
          {problem}
        </p>
      )}
      <SelectField label="What it may do" value={scope} options={SCOPES} onChange={setScope} hint={UNASKED} />
    </FormDialog>
  )
}
