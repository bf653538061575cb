import { useMe } from '../../lib/data/me.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { Members } from './members.tsx'
import { OneUser } from './one-user.tsx'
import { WorkspaceGrants } from './workspace-grants.tsx'
import { WorkspaceName } from './workspace-name.tsx'
import { WorkspaceRules } from './workspace-rules.tsx'
import { WorkspaceWebhooks } from './workspace-webhooks.tsx'

/** The workspace's own page: its name, its people, and the way out. */
export function SettingsPage() {
  const me = useMe()
  return (
    <>
      <PageHeading title="Settings" />
      <Loaded query={me} what="the settings">
        {(data) => (
          <>
            <WorkspaceName me={data} />
            <WorkspaceRules />
            <WorkspaceGrants />
            <WorkspaceWebhooks />
            {data.auth_mode === 'local' ? <OneUser /> : <Members me={data} />}
          </>
        )}
      </Loaded>
    </>
  )
}
