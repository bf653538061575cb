import { platformOf } from '@keyferry/contract/machines/trusts'
import { useState } from 'react'
import type { Machine } from '../../lib/machines/answers.ts'
import { type JobFile as File, jobFiles } from '../../lib/machines/job-files.ts'
import { PLATFORM_NAMES, type ProofWay, WAYS } from '../../lib/machines/platforms.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Notice } from '../../ui/notice.tsx'
import { SelectField } from '../../ui/select.tsx'

const EXAMPLE_BUNDLE = 'prod/billing'

/** The files that make a job this machine, filled in and ready to copy. */
export function JobFile({ machine }: { machine: Machine }) {
  const [way, setWay] = useState<ProofWay>(() => usualWay(machine))
  const names = machine.grants.filter(({ scope }) => scope === 'deliver').map(({ bundle }) => bundle.name)
  const [chosen, setChosen] = useState<string | null>(null)
  const bundle = names.find((name) => name === chosen) ?? names[0] ?? EXAMPLE_BUNDLE
  const files = jobFiles(way, { server: location.origin, machine, bundle })
  return (
    <>
      <p className="mb-4 max-w-read text-sm text-ink-soft">
        Copy this to your project and change the command at its end. It holds no secret.
      </p>
      <div className="mb-4 grid max-w-read gap-4 sm:grid-cols-2">
        <SelectField label="How it authenticates" value={way} options={WAYS} onChange={setWay} />
        {names.length > 1 && (
          <SelectField
            label="Bundle"
            value={bundle}
            options={names.map((name) => [name, name] as const)}
            onChange={setChosen}
          />
        )}
      </div>
      <BeforeUse machine={machine} way={way} />
      <div className="max-w-read space-y-6">
        {files.map((file) => (
          <FileText key={file.path} file={file} />
        ))}
      </div>
    </>
  )
}

function usualWay({ trusts, tokens }: Machine): ProofWay {
  const [trust] = trusts
  if (trust !== undefined) return platformOf(trust)
  return tokens.length > 0 ? 'token' : 'github'
}

/** What has to be done before the file works. */
function BeforeUse({ machine, way }: { machine: Machine; way: ProofWay }) {
  const isHere = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(location.hostname)
  const canFetch = machine.grants.some(({ scope }) => scope === 'deliver')
  const lines = [
    canFetch ? '' : 'Add a bundle to this machine. The file names an example.',
    missingText(machine, way),
    isHere
      ? `Jobs on other computers cannot reach ${location.origin}. Open this page at the public address of the server.`
      : '',
  ].filter((line) => line !== '')
  if (lines.length === 0) return null
  return (
    <Notice tone="caution" className="mb-4 max-w-read">
      {lines.map((line) => (
        <p key={line}>{line}</p>
      ))}
    </Notice>
  )
}

/** What the machine lacks to prove itself this way; empty if nothing. */
function missingText({ trusts, tokens }: Machine, way: ProofWay): string {
  if (way === 'token') {
    const works = tokens.some(({ ended_at }) => ended_at === null)
    return works ? '' : 'Create a token, and store it in the file that the script names.'
  }
  if (trusts.some((trust) => platformOf(trust) === way)) return ''
  const callsFirst = way === 'github' || way === 'gitlab'
  return callsFirst
    ? `This machine has no identity of ${PLATFORM_NAMES[way]} yet. Run the job once: the server refuses it, and an owner allows it under Overview.`
    : 'Add the identity under Overview before you start the job.'
}

function FileText({ file: { path, text, isShared } }: { file: File }) {
  const body = <CodeBlock text={text} what={path} />
  if (!isShared) {
    return (
      <section aria-label={path}>
        <h2 translate="no" className="font-mono text-sm font-medium [overflow-wrap:anywhere]">
          {path}
        </h2>
        {body}
      </section>
    )
  }
  return (
    <details>
      <summary className="text-sm">
        <span translate="no" className="font-mono font-medium [overflow-wrap:anywhere]">
          {path}
        </span>{' '}
        <span className="text-ink-soft">once for each repository</span>
      </summary>
      {body}
    </details>
  )
}
