import type { Me, TenantPolicy } from '../../lib/calls/answers.ts'
import { useAnswer, useChange } from '../../lib/calls/use-call.ts'
import { useGrants } from '../../lib/data/lists.ts'
import { useMay, useMe } from '../../lib/data/me.ts'
import { GrantList } from '../../ui/grants/grant-list.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { PolicyRules } from '../../ui/policy/policy-rules.tsx'
import { Section } from '../../ui/section.tsx'
import { notify } from '../../ui/toast-store.ts'
import { WorkspaceNameForm } from '../../ui/workspace-name-form.tsx'
import { PAGE_MODULES } from '../joined-modules.ts'

/** The workspace's own page: its name, its rules, and what it remembers and calls. */
export function SettingsPage() {
  const me = useMe()
  return (
    <>
      <PageHeading title="Settings" />
      <Loaded query={me} what="the settings">
        {(data) => (
          <>
            <WorkspaceName me={data} />
            <WorkspaceRules id={data.tenant.id} />
            <WorkspaceGrants />
            {PAGE_MODULES.map(({ pages, SettingsSection }) => (
              <SettingsSection key={pages[0]?.path} />
            ))}
          </>
        )}
      </Loaded>
    </>
  )
}

/** The remembered approvals of all members, for owners. */
function WorkspaceGrants() {
  const may = useMay()
  const grants = useGrants().data ?? []
  if (!may('changeTenantPolicy') || grants.length === 0) return null
  return (
    <Section
      title="Remembered approvals"
      count={grants.length}
      size="large"
      className="mb-8"
      headingClass="mb-1"
    >
      <p className="mb-4 max-w-read text-ink-soft">
        Commands that start without a new approval on one terminal. Changing the rules ends them.
      </p>
      <GrantList grants={grants} namesPeople />
    </Section>
  )
}

/** The workspace's name; an owner changes it. */
function WorkspaceName({ me: { tenant } }: { me: Me }) {
  const may = useMay()
  return (
    <Section title="Workspace" size="large" className="mb-8 max-w-read" headingClass="mb-2">
      {may('renameTenant') ? (
        <RenameForm id={tenant.id} current={tenant.name} />
      ) : (
        <p className="text-ink-soft">
          <strong className="font-medium break-words text-ink">{tenant.name}</strong>. An owner can rename it.
        </p>
      )}
    </Section>
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

/** The workspace's rules for approvals; an owner changes them. */
function WorkspaceRules({ id }: { id: string }) {
  const policy = useAnswer('getTenantPolicy', {})
  return (
    <Section title="Rules for approvals" size="large" className="mb-8" headingClass="mb-1">
      <p className="mb-4 max-w-read text-ink-soft">They hold for every bundle. A bundle can be stricter.</p>
      <Loaded query={policy} what="the rules">
        {(data) => <Rules id={id} policy={data} />}
      </Loaded>
    </Section>
  )
}

const USE_BOUND = {
  text: 'One careless click on a link is enough to give values to an attacker. Let approvals return to the terminal that asked: then a click alone gives nothing.',
  action: 'Return approvals to the terminal',
  change: { assurance: 'bound' },
} as const

type RulesProps = { id: string; policy: TenantPolicy }

function Rules({ id, policy: { effective, workspace, advice } }: RulesProps) {
  const save = useChange('changeTenantPolicy', {})
  const shown = advice.includes('use_bound') ? USE_BOUND : null
  return (
    <PolicyRules
      placeId={id}
      operation="changeTenantPolicy"
      {...{ own: workspace, effective, advice: shown, save }}
      inherits="No rule of the workspace"
    />
  )
}
