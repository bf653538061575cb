import { useState } from 'react'
import { Link } from 'wouter'
import { pageWorkspace, workspacePath } from '../../lib/calls/workspace.ts'
import { ROLE_NAMES, useTenants } from '../../lib/data/me.ts'
import { openWorkspace } from '../../lib/data/workspaces.ts'
import { Badge } from '../../ui/badge.tsx'
import { deferred } from '../../ui/deferred.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Check, ChevronsUpDown } from '../../ui/icons.ts'

const NewWorkspaceForm = deferred('NewWorkspaceForm', async () => {
  const { NewWorkspaceForm: Form } = await import('../../ui/workspace-name-form.tsx')
  return { NewWorkspaceForm: Form }
})

/** The workspace of this page, the way to the others, and to a new one. */
export function WorkspaceSwitcher() {
  const [isOpen, setOpen] = useState(false)
  const current = useTenants().data?.find(({ id }) => id === pageWorkspace())
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
        className="inline-flex h-8 max-w-48 min-w-0 items-center gap-1.5 rounded-sm px-2 text-sm hover:bg-sunken"
      >
        {current !== undefined && <span className="sr-only">Workspace </span>}
        <span className="truncate font-semibold">{current?.name ?? 'Workspaces'}</span>
        {current !== undefined && <span className="sr-only">{ROLE_NAMES[current.role]}</span>}
        <ChevronsUpDown aria-hidden size={14} className="shrink-0 text-ink-faint" />
      </button>
      {isOpen && <WorkspacesDialog onClose={() => setOpen(false)} />}
    </>
  )
}

function WorkspacesDialog({ onClose }: { onClose: () => void }) {
  const tenants = useTenants().data ?? []
  return (
    <Dialog title="Workspaces" onClose={onClose}>
      <ul aria-label="Your workspaces" className="-mx-2 mb-4">
        {tenants.map(({ id, name, role }) => (
          <li key={id}>
            <a
              href={workspacePath(id)}
              aria-current={id === pageWorkspace() ? 'page' : undefined}
              onClick={(event) => {
                if (event.ctrlKey || event.metaKey || event.shiftKey) return
                event.preventDefault()
                void openWorkspace(id)
              }}
              className="flex min-h-11 items-center gap-2 rounded-md px-2 -outline-offset-2 hover:bg-sunken"
            >
              <Check
                aria-hidden
                size={16}
                className={id === pageWorkspace() ? 'shrink-0 text-accent' : 'invisible shrink-0'}
              />
              <span className="min-w-0 flex-1 break-words">{name}</span>
              <Badge>{ROLE_NAMES[role]}</Badge>
            </a>
          </li>
        ))}
      </ul>
      <p className="mb-4">
        <Link href="/settings/workspace" onClick={onClose} className="link">
          Settings of this workspace
        </Link>
      </p>
      <div className="border-t border-line pt-4">
        <NewWorkspaceForm />
      </div>
    </Dialog>
  )
}
