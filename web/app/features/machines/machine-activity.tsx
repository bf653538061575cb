import { lazy, Suspense } from 'react'
import { useIsOwner } from '../../lib/data/me.ts'
import { useAddressFields } from '../../lib/page/use-address-fields.ts'
import { SelectField } from '../../ui/select-field.tsx'

const ActivityList = lazy(async () => ({
  default: (await import('../../ui/activity/activity-list.tsx')).ActivityList,
}))

const SIDES = { calls: 'What it did: deliveries and refusals', changes: 'What people changed' } as const

/** What a machine did, or what people did to it; for owners. */
export function MachineActivity({ id }: { id: string }) {
  const isOwner = useIsOwner()
  const { textOf, set } = useAddressFields(['show'])
  const side = textOf('show') === 'changes' ? 'changes' : 'calls'
  if (!isOwner) return <p className="text-ink-soft">Only owners of the workspace see what happened.</p>
  return (
    <>
      <div className="mb-4 max-w-sm">
        <SelectField
          label="Show"
          value={side}
          options={SIDES}
          onChange={(text) => set('show', text === 'changes' ? text : '')}
        />
      </div>
      <Suspense fallback={null}>
        <ActivityList filter={side === 'calls' ? { actor: id } : { target: id }} />
      </Suspense>
    </>
  )
}
