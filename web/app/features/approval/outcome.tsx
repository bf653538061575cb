import { spanText, TIMES } from '@keyferry/contract/limits'
import { type ReactNode, useEffect, useRef } from 'react'
import { workspacePath } from '../../lib/calls/workspace.ts'
import { useTitle } from '../../lib/page/use-title.ts'
import { joined } from '../../lib/words/counted.ts'
import { Button, buttonClasses } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { CommandLine } from '../../ui/command-line.tsx'
import type { IconComponent } from '../../ui/icon.tsx'
import {
  Check,
  CircleCheck,
  CircleSlash,
  CircleX,
  CloudOff,
  Hourglass,
  LockKeyhole,
  Users,
} from '../../ui/icons.ts'
import { Card } from './card.tsx'
import { DONE } from './kind-words.ts'
import type { Choice, RequestEnd } from './request-state.ts'

const TONES = {
  good: 'bg-good-soft text-good',
  plain: 'bg-accent-soft text-accent',
} as const

type OutcomeProps = { title: string; Icon: IconComponent; tone?: keyof typeof TONES; children: ReactNode }

/** The page when nothing is left to decide. It takes the focus, so that it is read out and Tab goes on from it. */
export function Outcome({ title, Icon, tone = 'plain', children }: OutcomeProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useTitle(title)
  useEffect(() => heading.current?.focus(), [])
  return (
    <Card>
      <section className="m-auto px-4 py-8 text-center sm:px-8 sm:py-12">
        <span className={classNames('mb-4 inline-grid size-22 place-items-center rounded-full', TONES[tone])}>
          <Icon aria-hidden size={40} strokeWidth={1.25} />
        </span>
        <h1 ref={heading} tabIndex={-1} className="text-2xl font-semibold">
          {title}
        </h1>
        <div className="mt-3 space-y-4 text-ink-soft">{children}</div>
      </section>
    </Card>
  )
}

const ASK_AGAIN = 'The person who ran the command can run it again.'

const TEXTS: Readonly<Record<RequestEnd, Omit<OutcomeProps, 'children'> & { text: string }>> = {
  signed_out: {
    title: 'Sign in to decide',
    Icon: LockKeyhole,
    text: 'A terminal is waiting for your decision.',
  },
  other_person: {
    title: 'Another person signed in',
    Icon: LockKeyhole,
    text: 'Nothing was approved. In this browser, another person signed in after you opened this page. Load it again to decide in their name.',
  },
  unreachable: {
    title: 'The server does not answer',
    Icon: CloudOff,
    text: 'Nothing was approved on this page. Check that the server is running and that you are online, then try again.',
  },
  denied: {
    title: 'Denied',
    Icon: CircleSlash,
    text: 'Nothing was delivered or stored. The terminal shows that the request was denied.',
  },
  withdrawn: {
    title: 'Withdrawn',
    Icon: CircleSlash,
    text: 'The terminal cancelled this request. It can no longer be approved.',
  },
  expired: {
    title: 'This request has expired',
    Icon: Hourglass,
    text: `It can no longer be approved. ${ASK_AGAIN}`,
  },
  later: {
    title: 'Approved for the next run',
    Icon: Hourglass,
    tone: 'good',
    text: `Nothing was delivered yet. If the same command asks again within ${spanText(TIMES.laterSeconds)}, it starts once, without a question.`,
  },
  gone: {
    title: 'Already used or unknown',
    Icon: CircleX,
    text: `A link works once. This one was already used, or it is incomplete or too old. If the terminal shows a new request, approve only that one. ${ASK_AGAIN}`,
  },
  already_approved: {
    title: 'Already approved',
    Icon: CircleCheck,
    tone: 'good',
    text: 'Someone has already approved this request. If it was not you or a colleague, ask an owner: Activity shows which values the terminal received. Change those values.',
  },
  not_collected: {
    title: 'Approved, but not collected',
    Icon: Hourglass,
    text: `The terminal did not collect the answer in time, so the server deleted it. ${ASK_AGAIN}`,
  },
  forbidden: {
    title: 'You cannot approve this request',
    Icon: LockKeyhole,
    text: 'You are not a member of this workspace.',
  },
}

/** What is left to say about a request that ended. */
export function Ended({ end, onRetry }: { end: RequestEnd; onRetry: () => void }) {
  const { text, ...look } = TEXTS[end]
  const again = {
    other_person: { label: 'Load again', onClick: () => location.reload() },
    unreachable: { label: 'Try again', onClick: onRetry },
  }
  return (
    <Outcome {...look}>
      <p>{text}</p>
      {end === 'signed_out' ? (
        <a
          href={`/sign-in?return_to=${encodeURIComponent(location.pathname + location.search)}`}
          className={buttonClasses({ look: 'primary', size: 'large' })}
        >
          Sign in
        </a>
      ) : end === 'other_person' || end === 'unreachable' ? (
        <Button {...again[end]} look="primary" size="large" />
      ) : (
        <a href="/" className="link inline-block">
          Go to your bundles
        </a>
      )}
    </Outcome>
  )
}

/** After approving: what was approved, and whether the terminal knows. */
export function Approved({ choice, delivered }: { choice: Choice; delivered: boolean }) {
  const { title, text } = DONE[choice.kind][delivered ? 'delivered' : 'approved']
  return (
    <Outcome title={title} Icon={Check} tone="good">
      <p role="status">
        <Counted choice={choice} />. {text}
      </p>
      {delivered && (
        <a href={storyPath(choice)} className="link inline-block">
          See it in Activity
        </a>
      )}
    </Outcome>
  )
}

// The list of a bundle leaves out that a deposit was approved: that entry is about the request.
function storyPath({ kind, bundle, workspaceId }: Choice): string {
  const isListed = bundle.id !== '' && kind !== 'deposit' && kind !== 'proposal'
  return workspacePath(workspaceId, isListed ? `/activity?about=${bundle.id}` : '/activity')
}

// `bundle.id` is empty for a new bundle: link to all bundles.
function Counted({ choice: { kind, keys, bundle, workspaceId } }: { choice: Choice }) {
  const [thing, where] = DONE[kind].counted
  const path = bundle.id === '' ? '/' : `/bundles/${encodeURIComponent(bundle.id)}`
  return (
    <>
      {keys.length} {keys.length === 1 ? thing : `${thing}s`} {where}{' '}
      <a href={workspacePath(workspaceId, path)} className="link font-mono">
        {bundle.name}
      </a>
    </>
  )
}

/** For the first of two approvers: who is missing, and how that person gets here. */
export function SecondPerson({ choice }: { choice: Choice }) {
  const { bundle } = choice
  if (choice.kind === 'vouch') return <OthersAsked choice={choice} />
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
function OthersAsked({ choice: { bundle, deciders = [] } }: { choice: Choice }) {
  return (
    <Outcome title="Asked for approval" Icon={Users}>
      <p role="status">
        {deciders.length > 0 ? (
          <bdi className="text-ink">{joined(deciders, 'and')}</bdi>
        ) : (
          'The people who may approve it'
        )}{' '}
        can decide on <bdi className="font-mono text-ink">{bundle.name}</bdi> and see your request under
        “Waiting for you”. This page and your terminal tell you when it is approved.
      </p>
      <p>You can also send them this link. Ctrl-C in the terminal withdraws the request.</p>
      <CommandLine command={location.origin + location.pathname} />
    </Outcome>
  )
}
