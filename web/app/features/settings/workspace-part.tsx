import type { Me } from '../../lib/calls/answers.ts'
import { useChange } from '../../lib/calls/use-call.ts'
import { useMay, useMe } from '../../lib/data/me.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { notify } from '../../ui/toast-store.ts'
import { WorkspaceNameForm } from '../../ui/workspace-name-form.tsx'
import { PAGE_MODULES } from '../joined-modules.ts'

/** The workspace's name, and what modules add to it. */
export function WorkspacePart() {
  const me = useMe()
  return (
    <Loaded query={me} what="the workspace">
      {(data) => (
        <>
          <WorkspaceName me={data} />
          {PAGE_MODULES.flatMap(({ WorkspaceSection }) =>
            WorkspaceSection ? <WorkspaceSection key={WorkspaceSection.name} /> : [],
          )}
        </>
      )}
    </Loaded>
  )
}

/** The workspace's name; an owner changes it. */
function WorkspaceName({ me: { tenant } }: { me: Me }) {
  const may = useMay()
  return (
    <div className="mb-8">
      {may('renameTenant') ? (
        <RenameForm id={tenant.id} current={tenant.name} />
      ) : (
        <p className="text-ink-soft">
          <strong className="font-medium break-words text-ink">{tenant.name}</strong>. An owner can rename it.
        </p>
      )}
    </div>
  )
}

function RenameForm({ id, current }: { id: string; current: string }) {
  const rename = useChange('renameTenant', { tenant_id: id })
  return (
    <WorkspaceNameForm
      label="Name"
      stored={current}
      recordId={id}
      change={rename}
      onDone={({ name }) => notify({ text: `Renamed the workspace to ${name}.` })}
    >
      Rename
    </WorkspaceNameForm>
  )
}
