import { useState } from 'react'
import type { Machine } from '../../lib/answers.ts'
import { describeFailure } from '../../lib/failure.ts'
import { useCreateTrust } from '../../lib/machine-proofs.ts'
import { PLATFORM_NAMES, type Platform } from '../../lib/platforms.ts'
import { emptyDraft, refusalOf, type TrustDraft, type TrustProblems, trustOf } from '../../lib/trust-draft.ts'
import { useUnsaved } from '../../lib/unsaved.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { notify } from '../../ui/toast-store.ts'
import { BroadCheckbox } from './broad-checkbox.tsx'
import { TrustFields } from './trust-fields.tsx'
import { TrustLimits } from './trust-limits.tsx'
import { wayNamed } from './ways.ts'

type NewTrustProps = { machine: Machine; platform: Platform; onClose: () => void }

/** Describes an identity of another service that is this machine. */
export function NewTrustDialog(props: NewTrustProps) {
  return (
    <Dialog title="Add an identity" onClose={props.onClose} wide>
      <NewTrustForm {...props} />
    </Dialog>
  )
}

function NewTrustForm({ machine, platform: first, onClose }: NewTrustProps) {
  const [platform, setPlatform] = useState(first)
  const [draft, setDraft] = useState<TrustDraft>(() => emptyDraft(first))
  const { submit, problems, offersBroad, isPending } = useTrustForm(machine, { platform, draft, onClose })
  const fields = {
    draft,
    problems,
    onChange: (change: Partial<TrustDraft>) => setDraft({ ...draft, ...change }),
  }
  const choose = (text: string) => {
    const way = wayNamed(text)
    if (way === null || way === 'token') return
    const { issuer, isBound } = emptyDraft(way)
    setPlatform(way)
    setDraft({ ...draft, issuer, isBound })
  }
  return (
    <DialogForm action="Add identity" busy={isPending} onSubmit={submit} onCancel={onClose}>
      <SelectField label="Platform" value={platform} options={PLATFORM_NAMES} onChange={choose} />
      {CAN_KNOCK.has(platform) && (
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
      {problems.form !== undefined && (
        <Notice tone="danger" role="alert">
          {problems.form}
        </Notice>
      )}
    </DialogForm>
  )
}

// The server keeps refused calls of these issuers although no trust names them.
const CAN_KNOCK: ReadonlySet<Platform> = new Set(['github', 'gitlab'])

const WHO_GETS_IT: Readonly<Record<Platform, string>> = {
  github:
    'Anyone who can write to this branch or deploy to this environment can get the values. Protect it on GitHub.',
  gitlab:
    'Anyone who can write to this branch or deploy to this environment can get the values. Protect it on GitLab.',
  kubernetes: 'Anyone who can create pods in this namespace can get the values.',
  other: 'Anyone who gets an ID token with this subject can get the values.',
}

type Form = { platform: Platform; draft: TrustDraft; onClose: () => void }

function useTrustForm(machine: Machine, { platform, draft, onClose }: Form) {
  const create = useCreateTrust(machine.id)
  const [problems, setProblems] = useState<TrustProblems>({})
  const [offersBroad, setOffersBroad] = useState(false)
  const { issuer: _issuer, isBound: _isBound, isProtected: _isProtected, isBroad: _isBroad, ...texts } = draft
  const saved = useUnsaved(Object.values(texts).some((text) => text !== ''))
  const submit = () => {
    const outcome = trustOf(platform, draft)
    if ('problems' in outcome) return setProblems(outcome.problems)
    setProblems({})
    create.mutate(outcome.trust, {
      onSuccess: () => {
        saved()
        notify({ text: `Added an identity of ${PLATFORM_NAMES[platform]}.` })
        onClose()
      },
      onError: (error) => {
        const failure = describeFailure(error)
        setProblems(refusalOf(failure))
        if (failure.code === 'trust_too_broad') setOffersBroad(true)
      },
    })
  }
  return { submit, problems, offersBroad, isPending: create.isPending }
}
