import { type FormEvent, useState } from 'react'
import type { Me } from '../../lib/calls/answers.ts'
import { describeFailure } from '../../lib/calls/failure.ts'
import { useChange } from '../../lib/calls/use-change.ts'
import { useUnsaved } from '../../lib/page/unsaved.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { notify } from '../../ui/toast-store.ts'

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
  const [name, setName] = useState(current)
  const [problem, setProblem] = useState<string | null>(null)
  const saved = useUnsaved(name !== current)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (rename.isPending) return
    if (name.trim() === '') return setProblem('Give the workspace a name.')
    rename.mutate(
      { name: name.trim() },
      {
        onSuccess: (tenant) => {
          saved()
          notify({ text: `Renamed the workspace to ${tenant.name}.` })
        },
        onError: (error) => setProblem(describeFailure(error).message),
      },
    )
  }
  return (
    <form onSubmit={submit} noValidate className="flex flex-wrap items-end gap-3">
      <div className="min-w-48 flex-1">
        <TextField
          label="Name"
          value={name}
          maxLength={255}
          autoComplete="off"
          onChange={(event) => setName(event.currentTarget.value)}
          problem={problem}
        />
      </div>
      <Button type="submit" busy={rename.isPending} disabled={name.trim() === current}>
        Rename
      </Button>
    </form>
  )
}
