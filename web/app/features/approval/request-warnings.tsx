import type { ReactNode } from 'react'
import type { RequestContext } from '../../lib/answers.ts'
import { visibleText } from '../../lib/visible-text.ts'
import { Notice } from '../../ui/notice.tsx'
import type { Doubts } from './doubts.ts'

const SHOWN_AT_ONCE = 2

type WarningsProps = {
  doubts: Doubts
  context: RequestContext
  chosen: { bundle: string; workspace: string }
  /** The bundle that the terminal names is in none of the person's workspaces. */
  bundleMissing: boolean
}

type Warning = { id: string; tone: 'danger' | 'caution'; text: ReactNode }

/** What is strange about the request, the worst first, two at once. */
export function RequestWarnings(props: WarningsProps) {
  const warnings = warningsOf(props)
  if (warnings.length === 0) return null
  const rest = warnings.slice(SHOWN_AT_ONCE)
  return (
    <div className="mt-3 space-y-2">
      <WarningList warnings={warnings.slice(0, SHOWN_AT_ONCE)} />
      {rest.length > 0 && (
        <details>
          <summary className="rounded-sm py-1 text-sm text-ink-soft">
            {rest.length} more {rest.length === 1 ? 'warning' : 'warnings'}
          </summary>
          <div className="mt-1 space-y-2">
            <WarningList warnings={rest} />
          </div>
        </details>
      )}
    </div>
  )
}

function WarningList({ warnings }: { warnings: readonly Warning[] }) {
  return warnings.map(({ id, tone, text }) => (
    <Notice key={id} tone={tone} {...(tone === 'danger' ? { role: 'alert' as const } : {})}>
      {text}
    </Notice>
  ))
}

function warningsOf({ doubts, context, chosen, bundleMissing }: WarningsProps): Warning[] {
  const { requester_meta, viewer_ip } = context
  const asked = requester_meta.ip
  const all: (Warning | false)[] = [
    doubts.refused !== null && {
      id: 'refused',
      tone: 'danger',
      text: (
        <>
          <strong>You cannot approve this.</strong> {doubts.refused} If you deny, the terminal shows why.
        </>
      ),
    },
    doubts.otherNetwork && {
      id: 'network',
      tone: 'danger',
      text: (
        <>
          <strong>Not your network:</strong> requested from <Mono text={asked} />, you are at{' '}
          <Mono text={viewer_ip} />.
        </>
      ),
    },
    doubts.openedByLink && {
      id: 'link',
      tone: 'danger',
      text: (
        <>
          <strong>A web page linked you here.</strong> Your own terminal opens this page itself or prints the
          link. Deny unless you ran the command.
        </>
      ),
    },
    doubts.otherBundle && {
      id: 'bundle',
      tone: 'danger',
      text: (
        <>
          The terminal requested <Mono text={context.suggested_bundle_id ?? ''} />, but you chose{' '}
          <Mono text={chosen.bundle} />.{' '}
          {context.kind === 'names' ? 'The keyferry client tells the difference.' : <OtherBundleRefused />}
        </>
      ),
    },
    bundleMissing && {
      id: 'missing',
      tone: 'caution',
      text: (
        <>
          The terminal requested <Mono text={context.suggested_bundle_id ?? ''} />, which is not in{' '}
          {context.workspace === null ? (
            'any of your workspaces'
          ) : (
            <>
              a workspace <Mono text={context.workspace} /> of yours
            </>
          )}
          . Choose a bundle yourself, or deny.
        </>
      ),
    },
    doubts.otherWorkspace && {
      id: 'workspace',
      tone: 'caution',
      text: (
        <>
          The terminal named the workspace <Mono text={context.workspace ?? ''} />, but you chose{' '}
          <bdi>{chosen.workspace}</bdi>.
        </>
      ),
    },
    doubts.unknownNetwork && {
      id: 'addresses',
      tone: 'caution',
      text: (
        <>
          Requested from <Mono text={asked} />, you are at <Mono text={viewer_ip} />. One is IPv4 and one is
          IPv6, so they cannot be compared.
        </>
      ),
    },
  ]
  return all.filter((warning) => warning !== false)
}

function OtherBundleRefused() {
  return (
    <>
      The keyferry client refuses another bundle unless it was started with{' '}
      <span className="font-mono whitespace-nowrap">--any-bundle</span>.
    </>
  )
}

function Mono({ text }: { text: string }) {
  return <bdi className="font-mono">{visibleText(text) || 'a name without a visible character'}</bdi>
}
