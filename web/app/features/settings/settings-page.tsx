import { PageHeading } from '../../ui/page-heading.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { AccountPart } from './account-part.tsx'
import { WorkspacePart } from './workspace-part.tsx'

const TABS = [
  { href: '/settings', name: 'Account' },
  { href: '/settings/workspace', name: 'Workspace' },
] as const

/** What a person sets for themselves, and for the workspace. */
export function SettingsPage({ part }: { part: 'account' | 'workspace' }) {
  return (
    <div className="max-w-read">
      <PageHeading title="Settings" />
      <Tabs label="Settings of" tabs={TABS} />
      {part === 'account' ? <AccountPart /> : <WorkspacePart />}
    </div>
  )
}
