import { NetworksField } from '../networks-field.tsx'
import { DraftField, type TrustFieldsProps } from './trust-fields.tsx'

/** What narrows an identity further; closed until it is needed. */
export function TrustLimits(fields: TrustFieldsProps) {
  const { draft, problems, onChange } = fields
  const hasProblem = [problems.audience, problems.maxAge, problems.networks].some(Boolean)
  return (
    <details open={hasProblem || undefined} className="rounded-md border border-line px-3 py-2">
      <summary className="text-sm font-medium">Audience and limits</summary>
      <div className="mt-3 space-y-4 pb-1">
        <DraftField
          {...fields}
          name="audience"
          label="Audience (optional)"
          placeholder={location.origin}
          hint="The claim aud. Empty: the address of this server."
        />
        <label className="flex items-start gap-3 text-sm">
          <input
            type="checkbox"
            className="checkbox mt-0.5"
            checked={draft.isBound}
            onChange={(event) => onChange({ isBound: event.currentTarget.checked })}
          />
          The audience must name the client’s key, so that a stolen ID token is useless. The client does this
          on GitHub; on GitLab and Kubernetes the audience is fixed before the job runs.
        </label>
        <NetworksField
          value={draft.networks}
          onChange={(networks) => onChange({ networks })}
          problem={problems.networks}
        />
        <DraftField
          {...fields}
          name="maxAge"
          label="Oldest ID token in seconds (optional)"
          inputMode="numeric"
          placeholder="600"
        />
      </div>
    </details>
  )
}
