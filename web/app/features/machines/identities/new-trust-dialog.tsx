import { useState } from 'react'
import { describeFailure } from '../../../lib/calls/failure.ts'
import { useChange } from '../../../lib/calls/use-call.ts'
import type { Machine } from '../../../lib/machines/answers.ts'
import { PLATFORM_NAMES, type Platform } from '../../../lib/machines/platforms.ts'
import {
  emptyDraft,
  refusalOf,
  type TrustForm,
  type TrustProblems,
  trustOf,
} from '../../../lib/machines/trust-draft.ts'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { FormDialog } from '../../../ui/dialog-form.tsx'
import { Notice, Problem } from '../../../ui/notice.tsx'
import { SelectField } from '../../../ui/select.tsx'
import { NetworksField } from '../networks-field.tsx'
import { BroadCheckbox } from './broad-checkbox.tsx'
import { DraftField, TrustFields, type TrustFieldsProps } from './trust-fields.tsx'

type NewTrustProps = { machine: Machine; platform: Platform; onClose: () => void }

/** Describes an identity of another service that is this machine. */
export function NewTrustDialog({ machine, platform: first, onClose }: NewTrustProps) {
  const [platform, setPlatform] = useState(first)
  const [draft, setDraft] = useState<TrustForm>(() => emptyDraft(first))
  const { form, problems, offersBroad } = useTrustForm(machine, platform, draft)
  const fields = {
    draft,
    problems,
    onChange: (change: Partial<TrustForm>) => setDraft({ ...draft, ...change }),
  }
  const choose = (chosen: Platform) => {
    const { issuer, isBound } = emptyDraft(chosen)
    setPlatform(chosen)
    setDraft({ ...draft, issuer, isBound })
  }
  return (
    <FormDialog
      {...form}
      title="Add an identity"
      action="Add identity"
      done={`Added an identity of ${PLATFORM_NAMES[platform]}.`}
      onClose={onClose}
    >
      <SelectField label="Platform" value={platform} options={PLATFORM_NAMES} onChange={choose} />
      {CALLS_FIRST.has(platform) && (
        <Notice tone="plain">
          You can also run the job once, with the file under Job file. Keyferry refuses the call and shows its
          identity on the machine’s page. You can allow it there without typing ids.
        </Notice>
      )}
      <TrustFields platform={platform} {...fields} />
      <TrustLimits {...fields} />
      <p className="text-sm text-ink-soft">{WHO_GETS_IT[platform]}</p>
      {offersBroad && (
        <BroadCheckbox checked={draft.isBroad} onChange={(isBroad) => fields.onChange({ isBroad })} />
      )}
      <Problem text={problems.form ?? null} />
    </FormDialog>
  )
}

// The server keeps refused calls of these issuers although no trust names them.
const CALLS_FIRST: ReadonlySet<Platform> = new Set(['github', 'gitlab'])

const WHO_GETS_IT: Readonly<Record<Platform, string>> = {
  github:
    'Anyone who can write to this branch or deploy to this environment can get the values. Protect it on GitHub.',
  gitlab:
    'Anyone who can write to this branch or deploy to this environment can get the values. Protect it on GitLab.',
  kubernetes: 'Anyone who can create pods in this namespace can get the values.',
  other: 'Anyone who gets an ID token with this subject can get the values.',
}

function useTrustForm(machine: Machine, platform: Platform, draft: TrustForm) {
  const create = useChange('createMachineTrust', { machine_id: machine.id })
  const [found, setFound] = useState<TrustProblems>({})
  const failure = create.error === null ? null : describeFailure(create.error)
  const { issuer: _issuer, isBound: _isBound, isProtected: _isProtected, isBroad, ...texts } = draft
  const input = () => {
    const outcome = trustOf(platform, draft)
    setFound('problems' in outcome ? outcome.problems : {})
    return 'problems' in outcome ? null : outcome.trust
  }
  const unsaved = Object.values(texts).some((text) => text !== '')
  return {
    form: { change: create, input, unsaved, hidesError: true },
    problems: failure === null || Object.keys(found).length > 0 ? found : refusalOf(platform, draft, failure),
    offersBroad: isBroad || failure?.code === 'trust_too_broad',
  }
}

/** What narrows an identity further; closed until it is needed. */
function TrustLimits(fields: TrustFieldsProps) {
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
        <Checkbox
          className="flex items-start gap-3 text-sm"
          boxClass="mt-0.5"
          checked={draft.isBound}
          onChange={(checked) => onChange({ isBound: checked })}
          label="The audience must name the client’s key, so that a stolen ID token is useless. The client does this on GitHub; on GitLab and Kubernetes the audience is fixed before the job runs."
        />
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
