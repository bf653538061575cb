import { type ComponentProps, useState } from 'react'
import type { RequestBundle } from '../../../lib/calls/answers.ts'
import { workspacePath } from '../../../lib/calls/workspace.ts'
import { importCommand } from '../../../lib/words/client-command.ts'
import { buttonClasses } from '../../../ui/button.tsx'
import { CommandLine } from '../../../ui/command-line.tsx'
import { deferred } from '../../../ui/deferred.tsx'
import { Users } from '../../../ui/icons.ts'
import { FailureState } from '../../../ui/loaded.tsx'
import { call } from '../calls.ts'
import { Fact } from '../card.tsx'
import { keepSelected, keptSelected } from '../kept.ts'
import { ASKING } from '../kind-words.ts'
import { type Loaded, Quiet, useLoaded, WhenLoaded } from '../loaded.tsx'
import type { ApprovalOffer, LeavingOut, OfferApproval } from '../offer.ts'
import { inWorkspace, takesAnyBundle } from '../place/place.ts'
import type { ChosenPlace } from '../place/use-place.ts'
import { VouchNotices } from '../request/vouch-notices.tsx'
import type { LoadedRequest, RequestView } from '../request-state.ts'
import { asksOthers, type Demands } from '../return-plan.ts'
import { Names } from '../shown-names.tsx'
import { KeyChoice } from './key-choice.tsx'
import { KeyNotes } from './key-notes.tsx'
import { deliverable, firstKeys, leftOutOf, stricterOf, unaskedOf } from './selection.ts'
import { useRules } from './use-rules.ts'
import { type GivenValue, type Typing, useTyping } from './use-typing.ts'

const BundleChoice = deferred('BundleChoice', () => import('../place/bundle-choice.tsx'))
const TypedValues = deferred('TypedValues', () => import('./typed-values.tsx'))

/** The values that a terminal would get: a bundle, and which of its keys. */
export function useDeliveryOffer({ requestId, request }: RequestView, place: ChosenPlace): ApprovalOffer {
  const loaded = useBundle(requestId, place)
  const bundle = loaded.value
  const selection = useSelection(requestId, bundle, request.context.template_keys)
  const { rules, phase, asked } = useRules({ requestId, place, bundle, selection })
  const onStored = (stored: string) => {
    selection?.onSelect(new Set([...selection.selected, stored]))
    loaded.reload()
  }
  const host = request.context.requester_meta['hostname'] ?? 'a terminal that names no host'
  const { workspaceId } = place
  const { given, typing } = useTyping({ bundle, rules, host, workspaceId, onStored })
  const keys = (bundle?.items ?? []).map(({ key }) => key).filter((name) => selection?.selected.has(name))
  const count = keys.length + given.length
  const name = bundle?.name ?? null
  const leaveOut = selection && leaveOutOf(selection, rules)
  return {
    phase: loaded.phase === 'ready' ? phase : loaded.phase,
    rules: rules && (given.length === 0 ? rules : { ...rules, ...AS_TYPED }),
    bundle,
    choice: isEmpty(place) ? null : <BundleChoice place={place} context={request.context} />,
    content: <HandOver {...{ request, place, loaded, selection, typing, rules, asked }} />,
    notices: <VouchNotices rules={rules} bundleName={name ?? ''} leaveOut={leaveOut} />,
    production: bundle?.is_production === true ? [bundle.name] : [],
    action: isChoosable(place, request) ? { label: labelOf(rules), count, thing: 'variable', name } : null,
    problem: count === 0 ? 'Select at least one variable.' : null,
    doubts: selection === null ? [] : doubtsOf(selection),
    approval: bundle && approvalOf(bundle, { keys, typed: given }, rules),
    leaveOut,
    reload: () => {
      for (const answer of [loaded, asked]) answer.reload()
    },
    // The rules changed since the page was loaded.
    onFailure: ({ status }) => {
      if (status === 403) for (const { reload } of [loaded, asked]) reload()
      return false
    },
  }
}

// Typed values return to the terminal that asked, and are used once.
const AS_TYPED = { release_required: true, remember_hours: 0, may_be_later: undefined, task: undefined }

const isEmpty = ({ bundles }: ChosenPlace): boolean => bundles.value?.length === 0

// Where the client takes only a bundle that is not there, only Deny is left.
function isChoosable(place: ChosenPlace, { context, candidates }: LoadedRequest): boolean {
  return !isEmpty(place) && (takesAnyBundle(context) || candidates.length > 0)
}

type HandOverProps = {
  request: LoadedRequest
  place: ChosenPlace
  loaded: Loaded<RequestBundle>
  selection: KeySelectionProps | null
  /** Null: the approver types no value. */
  typing: Typing | null
  rules: Demands | null
  /** What the rules demand of a selection that differs from the request. */
  asked: Loaded<unknown>
}

/** What the terminal would get: a bundle, and which of its keys. */
export function HandOver({ request, place, loaded, selection, typing, rules, asked }: HandOverProps) {
  const { workspaces, signsIn } = request.person
  if (!isChoosable(place, request) && !isEmpty(place)) return null
  if (isEmpty(place) && place.workspace !== null) {
    const isOneOfSeveral = workspaces.length > 1
    return (
      <EmptyLibrary workspace={place.workspace} isOneOfSeveral={isOneOfSeveral} fromTerminal={!signsIn} />
    )
  }
  return (
    <>
      <FirstOfTwo rules={rules} />
      {asked.problem && <FailureState failure={asked.problem} refetch={asked.reload} />}
      <WhenLoaded of={loaded} none="Choose a bundle to see its variables." loading="Loading the variables…">
        {() => selection && <BundleKeys selection={selection} typing={typing} />}
      </WhenLoaded>
    </>
  )
}

function labelOf(rules: Demands | null): string {
  const { approvals_needed: needed = 1, first_approval: first = null } = rules ?? {}
  if (!asksOthers(rules)) return needed > 1 && first === null ? 'Approve, first of two' : 'Approve'
  return ASKING.action[rules?.why_not?.code === 'named_approves' ? 'named_approves' : 'owner_approves']
}

type Send = OfferApproval['send']

type Shared = { keys: string[]; typed: readonly GivenValue[] }

function approvalOf(bundle: RequestBundle, { keys, typed }: Shared, rules: Demands | null): OfferApproval {
  const chosen = { bundle_id: bundle.id, include_keys: keys }
  const beside = typed.length === 0 ? {} : { typed: [...typed] }
  const approve: Send = (request, options) =>
    call('encryptFromBundle', { ...request, ...chosen, ...beside }, options)
  const vouch: Send = ({ request_id, release = 'code' }, options) =>
    call('vouchForRequest', { request_id, ...chosen, release }, options)
  return asksOthers(rules)
    ? { kind: 'vouch', bundle, keys, send: vouch }
    : { bundle, keys: [...keys, ...typed.map(({ name }) => name)], send: approve }
}

function useBundle(requestId: string, { workspaceId, bundleId }: ChosenPlace) {
  const of = workspaceId === null || bundleId === null ? null : { workspaceId, bundleId }
  return useLoaded(of, async (chosen) => {
    const asked = { request_id: requestId, bundle_id: chosen.bundleId }
    return vouchedOnly(await call('getRequestBundle', asked, inWorkspace(chosen.workspaceId)))
  })
}

// A vouch counts for the keys that its person chose, or fewer.
export function vouchedOnly(bundle: RequestBundle): RequestBundle {
  const { vouch, items } = bundle
  return vouch?.counts === true
    ? { ...bundle, items: items.filter(({ key }) => vouch.keys.includes(key)) }
    : bundle
}

// The second of two people approves what the first one chose.
function useSelection(
  requestId: string,
  bundle: RequestBundle | null,
  templateKeys: readonly string[],
): KeySelectionProps | null {
  const [chosen, setChosen] = useState(() => keptSelected(requestId))
  if (bundle === null) return null
  const { id, items, first_approval: first } = bundle
  const asked = { bundle, items, templateKeys }
  if (first) return { ...asked, selected: new Set(first.keys), onSelect: () => undefined }
  const selected =
    chosen?.bundleId === id ? chosen.names.intersection(deliverable(items)) : firstKeys(asked).selected
  const onSelect = (names: ReadonlySet<string>) => {
    const next = { bundleId: id, names }
    setChosen(next)
    keepSelected(requestId, next)
  }
  return { ...asked, selected, onSelect }
}

type KeySelectionProps = ComponentProps<typeof KeyChoice>

/** The selected keys without which the rules may allow the approval, and what deselects them. */
function leaveOutOf(
  { bundle, selected, onSelect }: KeySelectionProps,
  rules: Demands | null,
): LeavingOut | null {
  const whyNot = rules?.why_not ?? null
  const refused = new Set(whyNot === null ? stricterOf(bundle.items) : whyNot.names)
  const left = selected.difference(refused)
  if (bundle.first_approval || left.size === 0 || left.size === selected.size) return null
  return { count: selected.size - left.size, act: () => onSelect(left) }
}

export function doubtsOf(selection: KeySelectionProps) {
  const unasked = unaskedOf(selection)
  const leftOut = leftOutOf(selection)
  return [
    unasked.length > 0 && (
      <p key="unasked">
        Not requested: <Names names={unasked} />. The keyferry client refuses such a delivery; only another
        client could use it.
      </p>
    ),
    leftOut.length > 0 && (
      <p key="left-out">
        Required, but not selected: <Names names={leftOut} />. The terminal will show that{' '}
        {leftOut.length === 1 ? 'it is' : 'they are'} missing.
      </p>
    ),
  ].filter((doubt) => doubt !== false)
}

type BundleKeysProps = { selection: KeySelectionProps; typing: Typing | null }

/** The keys of the chosen bundle, with what is missing of those asked for. */
function BundleKeys({ selection, typing }: BundleKeysProps) {
  const typed = typing && <TypedValues {...typing} />
  if (selection.items.length === 0)
    return typed ?? <Quiet>This bundle has no variables. Choose another.</Quiet>
  return (
    <>
      <KeyNotes typeable={(typing?.names ?? []).map(({ name }) => name)} {...selection} />
      {typed}
      <KeyChoice {...selection} />
    </>
  )
}

function FirstOfTwo({ rules }: { rules: Demands | null }) {
  const first = rules?.first_approval ?? null
  if (first === null && (rules?.approvals_needed ?? 1) > 1 && !asksOthers(rules))
    return <Fact Icon={Users}>You are the first of two people who approve this.</Fact>
  if (first === null || rules?.why_not?.code === 'second_person') return null
  return (
    <Fact Icon={Users} small="Approve only if you know who ran the command.">
      <strong>{first.person.name ?? 'A former member'}</strong> approved these variables first. With your
      approval the terminal gets them.
    </Fact>
  )
}

type EmptyLibraryProps = {
  workspace: { id: string; name: string }
  /** The terminal must be told which of the person's workspaces this is. */
  isOneOfSeveral: boolean
  /** A terminal can import without signing in. */
  fromTerminal: boolean
}

/** Instead of the choice when the workspace has no bundles: how to get one. */
function EmptyLibrary({ workspace, isOneOfSeveral, fromTerminal }: EmptyLibraryProps) {
  return (
    <div className="space-y-3 py-3">
      <p className="font-medium">
        <bdi>{workspace.name}</bdi> has no bundles yet.
      </p>
      <p className="text-ink-soft">Import a .env file, then run the command again.</p>
      <a href={workspacePath(workspace.id, '/bundles/import')} className={buttonClasses({ look: 'primary' })}>
        Import in the browser
      </a>
      {fromTerminal && (
        <>
          <p className="text-ink-soft">Or import it from the terminal:</p>
          <CommandLine command={importCommand('dev/app', isOneOfSeveral ? workspace.id : null)} />
        </>
      )}
    </div>
  )
}
