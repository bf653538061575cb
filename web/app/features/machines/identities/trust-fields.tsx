import type { ComponentType } from 'react'
import type { Platform } from '../../../lib/machines/platforms.ts'
import type { TrustForm, TrustProblems } from '../../../lib/machines/trust-draft.ts'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { TextArea, TextField, type TextFieldProps } from '../../../ui/text-field.tsx'

export type TrustFieldsProps = {
  draft: TrustForm
  problems: TrustProblems
  onChange: (change: Partial<TrustForm>) => void
}

type TextName = Exclude<keyof TrustForm, 'isProtected' | 'isBound' | 'isBroad'>

type DraftFieldProps = TrustFieldsProps & Omit<TextFieldProps, 'onChange'> & { name: TextName }

/** One text of the draft, with what is wrong with it. */
export function DraftField({ draft, problems, onChange, name, ...rest }: DraftFieldProps) {
  return (
    <TextField
      {...rest}
      value={draft[name]}
      onChange={(text) => onChange({ [name]: text })}
      problem={problems[name]}
      code="small"
    />
  )
}

/** The fields that name an identity of a platform. */
export function TrustFields({ platform, ...fields }: TrustFieldsProps & { platform: Platform }) {
  const Fields = FIELDS[platform]
  return <Fields {...fields} />
}

function GitHubFields(fields: TrustFieldsProps) {
  return (
    <>
      <DraftField
        {...fields}
        name="repositoryId"
        label="Repository id"
        inputMode="numeric"
        placeholder="123456789"
        autoFocus
        hint={
          <>
            A number. To print it:{' '}
            <code translate="no" className="font-mono">
              gh api repos/OWNER/NAME --jq .id
            </code>
          </>
        }
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <DraftField {...fields} name="environment" label="Environment" placeholder="prod" />
        <DraftField
          {...fields}
          name="ref"
          label="Branch or tag"
          placeholder="main"
          hint="A branch, or a full ref such as refs/tags/*."
        />
      </div>
      <DraftField
        {...fields}
        name="workflow"
        label="Workflow (optional)"
        placeholder="acme/web/.github/workflows/deploy.yml@refs/heads/main"
        hint="The claim job_workflow_ref. For a reusable workflow it is the one that is called."
      />
    </>
  )
}

function GitLabFields(fields: TrustFieldsProps) {
  const { draft, onChange } = fields
  return (
    <>
      <DraftField
        {...fields}
        name="projectId"
        label="Project id"
        inputMode="numeric"
        placeholder="12345678"
        autoFocus
        hint="A number. The project's page shows it in the menu beside its name."
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <DraftField {...fields} name="environment" label="Environment" placeholder="prod" />
        <DraftField {...fields} name="ref" label="Branch or tag" placeholder="main" />
      </div>
      <Checkbox
        className="flex items-center gap-3 text-sm"
        checked={draft.isProtected}
        onChange={(checked) => onChange({ isProtected: checked })}
        label="Only while the branch or tag is protected"
      />
      <DraftField {...fields} name="issuer" label="Address of GitLab" />
    </>
  )
}

function KubernetesFields(fields: TrustFieldsProps) {
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <DraftField {...fields} name="namespace" label="Namespace" placeholder="prod" autoFocus />
        <DraftField {...fields} name="serviceAccount" label="Service account" placeholder="billing" />
      </div>
      <DraftField
        {...fields}
        name="issuer"
        label="Issuer of the cluster"
        placeholder="https://kubernetes.default.svc.cluster.local"
        hint={
          <>
            To print it:{' '}
            <code translate="no" className="font-mono">
              kubectl get --raw /.well-known/openid-configuration
            </code>
          </>
        }
      />
      <KeySetField {...fields} />
    </>
  )
}

function OtherFields(fields: TrustFieldsProps) {
  const { draft, problems, onChange } = fields
  return (
    <>
      <DraftField
        {...fields}
        name="issuer"
        label="Issuer"
        placeholder="https://issuer.example.com"
        autoFocus
        hint="Exactly as in the claim iss."
      />
      <DraftField {...fields} name="subject" label="Subject" hint="The claim sub, exactly." />
      <TextArea
        label="More claims (optional)"
        rows={2}
        value={draft.more}
        onChange={(more) => onChange({ more })}
        problem={problems.more}
        hint="One on each line, as name=value. A name on several lines: one of the values is enough."
        placeholder="project=billing"
        code="small"
      />
      <KeySetField {...fields} />
    </>
  )
}

function KeySetField({ draft, problems, onChange }: TrustFieldsProps) {
  return (
    <TextArea
      label="Key set (only if the server cannot reach the issuer)"
      rows={draft.keys === '' ? 2 : 6}
      value={draft.keys}
      onChange={(keys) => onChange({ keys })}
      problem={problems.keys}
      hint={
        <>
          The public keys. For a cluster:{' '}
          <code translate="no" className="font-mono">
            kubectl get --raw /openid/v1/jwks
          </code>
          . Paste them again when the issuer changes its keys.
        </>
      }
      placeholder={'{"keys": [ … ]}'}
      code="small"
    />
  )
}

const FIELDS: Readonly<Record<Platform, ComponentType<TrustFieldsProps>>> = {
  github: GitHubFields,
  gitlab: GitLabFields,
  kubernetes: KubernetesFields,
  other: OtherFields,
}
