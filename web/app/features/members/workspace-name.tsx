import type { Me } from '../../lib/calls/answers.ts'
import { useChange } from '../../lib/calls/use-change.ts'
import { notify } from '../../ui/toast-store.ts'
import { WorkspaceNameForm } from '../../ui/workspace-name-form.tsx'

/** The workspace's name; an owner changes it. */
export function WorkspaceName({ me: { tenant, role } }: { me: Me }) {
  return (
    <section aria-labelledby="workspace" className="mb-8 max-w-xl">
      <h2 id="workspace" className="mb-2 text-lg font-semibold">
        Workspace
      </h2>
      {role === 'owner' ? (
        <RenameForm key={tenant.name} id={tenant.id} current={tenant.name} />
      ) : (
        <p className="text-ink-soft">
          <strong className="font-medium break-words text-ink">{tenant.name}</strong>. An owner can rename it.
        </p>
      )}
    </section>
  )
}

function RenameForm({ id, current }: { id: string; current: string }) {
  const rename = useChange('renameTenant', { tenant_id: id }, { refreshes: ['listTenants', 'getMe'] })
  return (
    <WorkspaceNameForm
      label="Name"
      stored={current}
      change={rename}
      onDone={({ name }) => notify({ text: `Renamed the workspace to ${name}.` })}
    >
      Rename
    </WorkspaceNameForm>
  )
}
