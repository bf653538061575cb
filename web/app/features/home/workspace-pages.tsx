import { useTenants } from '../../lib/data/me.ts'
import { openWorkspace } from '../../lib/data/workspaces.ts'
import { Button } from '../../ui/button.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { PageNote } from '../../ui/page-note.tsx'
import { NewWorkspaceForm } from '../../ui/workspace-name-form.tsx'

/** For the address of a workspace that the person is not a member of. */
export function ForeignWorkspacePage() {
  const tenants = useTenants().data ?? []
  return (
    <PageNote title="You are not a member of this workspace">
      This workspace does not exist, or you are not a member of it. Ask an owner for an invitation, or open
      one of your workspaces.
      <ul aria-label="Open a workspace" className="mt-6 flex flex-wrap justify-center gap-2">
        {tenants.map(({ id, name }) => (
          <li key={id}>
            <Button label={name} onClick={() => void openWorkspace(id)} />
          </li>
        ))}
      </ul>
    </PageNote>
  )
}

/** For a person who left every workspace. */
export function NoWorkspacePage() {
  return (
    <div className="max-w-read pt-4">
      <PageHeading title="You are in no workspace" />
      <p className="mb-4 text-ink-soft">
        Create a workspace, or ask an owner of another one for an invitation.
      </p>
      <NewWorkspaceForm />
    </div>
  )
}
