import { CircleCheck, Users } from 'lucide-react'
import { workspacePath } from '../../lib/calls/workspace.ts'
import { CommandLine } from '../../ui/command-line.tsx'
import { VirtualList } from '../../ui/virtual-list.tsx'
import { DONE } from './kind-words.ts'
import { Outcome } from './outcome.tsx'
import type { Choice } from './request-state.ts'

/** After approving: what was approved, and whether the terminal knows. */
export function Approved({ choice, delivered }: { choice: Choice; delivered: boolean }) {
  const { kind, keys } = choice
  const { title, text } = DONE[kind][delivered ? 'delivered' : 'approved']
  return (
    <Outcome title={title} Icon={CircleCheck} tone="good">
      <p role="status">{text}</p>
      {kind === 'delivery' ? (
        <>
          <h2 className="text-sm font-semibold text-ink">
            <Counted choice={choice} />
          </h2>
          <VirtualList
            label="Shared keys"
            items={keys}
            keyOf={(name) => name}
            rowHeight={38}
            render={(name) => <p className="px-3 py-2 font-mono text-sm break-all text-ink">{name}</p>}
          />
        </>
      ) : (
        <p>
          <Counted choice={choice} />
        </p>
      )}
    </Outcome>
  )
}

// A new bundle has no id yet, and neither has a list of bundles.
function Counted({ choice: { kind, keys, bundle, workspaceId } }: { choice: Choice }) {
  const isList = kind === 'names' && bundle.id === ''
  const [thing, where] = isList ? ['bundle', 'of'] : DONE[kind].counted
  const path = bundle.id === '' ? '/bundles' : `/bundles/${encodeURIComponent(bundle.id)}`
  return (
    <>
      {keys.length} {keys.length === 1 ? thing : `${thing}s`} {where}{' '}
      <a href={workspacePath(workspaceId, path)} className={isList ? 'link' : 'link font-mono'}>
        {bundle.name}
      </a>
    </>
  )
}

/** For the first of two approvers: who is missing, and how that person gets here. */
export function SecondPerson({ choice }: { choice: Choice }) {
  const { bundle } = choice
  if (choice.kind === 'vouch') return <OthersAsked bundle={bundle} />
  return (
    <Outcome title="Approved by you, one person missing" Icon={Users}>
      <p role="status">
        <bdi className="font-mono text-ink">{bundle.name}</bdi> needs two people. The terminal has no values
        yet.
      </p>
      <p>Send this link to a second person. It works until the request expires.</p>
      <CommandLine command={location.origin + location.pathname} />
    </Outcome>
  )
}

/** For the person who vouched: others decide now. */
function OthersAsked({ bundle }: Pick<Choice, 'bundle'>) {
  return (
    <Outcome title="Asked for approval" Icon={Users}>
      <p role="status">
        The people who may approve <bdi className="font-mono text-ink">{bundle.name}</bdi> see your request
        under “Waiting for you”. This page and your terminal tell you when it is approved.
      </p>
      <p>You can also send them this link. Ctrl-C in the terminal withdraws the request.</p>
      <CommandLine command={location.origin + location.pathname} />
    </Outcome>
  )
}
