import { useState } from 'react'
import { useLocation } from 'wouter'
import type { Bundle } from '../../../lib/calls/answers.ts'
import { useMay } from '../../../lib/data/me.ts'
import { applicationHref } from '../../../lib/page/places.ts'
import { deferred } from '../../../ui/deferred.tsx'
import { Activity, Copy, Pencil, Scale, Trash2 } from '../../../ui/icons.ts'
import { Menu, type MenuItem } from '../../../ui/menu.tsx'
import { ENVIRONMENT_PARTS } from '../../joined-modules.ts'
import type { EnvironmentDialog } from './environment-dialogs.tsx'

const EnvironmentDialogs = deferred('EnvironmentDialogs', () => import('./environment-dialogs.tsx'))

/** What can be done with an environment as a whole. */
export function EnvironmentMenu({ bundle }: { bundle: Bundle }) {
  const may = useMay()
  const [, navigate] = useLocation()
  const [open, setOpen] = useState<EnvironmentDialog | null>(null)
  const part = (name: string) => () => navigate(`${applicationHref(bundle.name)}?part=${name}`)
  const duplicate = () => navigate(`/bundles/duplicate?bundle=${encodeURIComponent(bundle.name)}`)
  const items: MenuItem[] = [
    ...(bundle.may_edit ? [{ label: 'Edit', icon: Pencil, onPick: () => setOpen('edit') }] : []),
    ...(bundle.may_duplicate ? [{ label: 'Duplicate', icon: Copy, onPick: duplicate }] : []),
    ...ENVIRONMENT_PARTS.map(({ name, label, icon }) => ({ label, icon, gap: true, onPick: part(name) })),
    { label: 'Rules', icon: Scale, onPick: () => navigate(`/rules?bundle=${bundle.id}`) },
    ...(may('listAudit') ? [{ label: 'Activity', icon: Activity, onPick: part('activity') }] : []),
    ...(may('deleteBundle')
      ? [{ label: 'Delete', icon: Trash2, gap: true, onPick: () => setOpen('delete') }]
      : []),
  ]
  return (
    <>
      <Menu label={`More for ${bundle.name}`} items={items} />
      {open !== null && <EnvironmentDialogs bundleId={bundle.id} open={open} onClose={() => setOpen(null)} />}
    </>
  )
}
