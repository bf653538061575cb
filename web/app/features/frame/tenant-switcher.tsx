import { useLocation } from 'wouter'
import { describeFailure } from '../../lib/failure.ts'
import { useSwitchTenant, useTenants } from '../../lib/people.ts'
import { notify } from '../../ui/toast-store.ts'

/** The workspace one is in, and the others one may go to. */
export function TenantSwitcher() {
  const tenants = useTenants().data ?? []
  const switchTenant = useSwitchTenant()
  const [, navigate] = useLocation()
  const current = tenants.find((tenant) => tenant.current)
  if (current === undefined) return null
  if (tenants.length === 1) return <span className="truncate text-sm text-ink-soft">{current.name}</span>
  const go = (tenantId: string) => {
    switchTenant.mutate(tenantId, {
      onSuccess: ({ name }) => {
        navigate('/bundles')
        notify({ text: `You now work in ${name}.` })
      },
      onError: (error) => notify({ text: describeFailure(error).message, tone: 'danger' }),
    })
  }
  return (
    <select
      aria-label="Workspace"
      value={current.id}
      disabled={switchTenant.isPending}
      onChange={(event) => go(event.currentTarget.value)}
      className="min-h-9 max-w-56 min-w-0 truncate rounded-md border border-line bg-surface px-2 text-sm text-ink"
    >
      {tenants.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  )
}
