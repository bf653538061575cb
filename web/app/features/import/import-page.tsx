import { type Dialect, readImport } from '@keyferry/contract/env'
import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useSearchParams } from 'wouter'
import { bundleNameProblem } from '../../lib/bundle-names.ts'
import { useBundles } from '../../lib/bundles.ts'
import { describeFailure } from '../../lib/failure.ts'
import { useKeys } from '../../lib/keys.ts'
import { useMe } from '../../lib/me.ts'
import { useUnsaved } from '../../lib/unsaved.ts'
import { Button } from '../../ui/button.tsx'
import { LoadingState } from '../../ui/loading-state.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { BundleNameField } from './bundle-name-field.tsx'
import { DialectField } from './dialect-field.tsx'
import { ImportDone } from './import-done.tsx'
import { ImportPreview } from './import-preview.tsx'
import { type Decisions, isUsable, planImport } from './plan.ts'
import { type ImportResult, runImport } from './run-import.ts'
import { TextDrop } from './text-drop.tsx'

const UNDECIDED: Decisions = { skipped: new Set(), secret: new Map() }

/** Brings a `.env` or JSON text into the library and a bundle, after showing what that would change. */
export function ImportPage() {
  const me = useMe()
  const keys = useKeys()
  const [result, setResult] = useState<ImportResult | null>(null)
  const [params] = useSearchParams()
  const [bundleName, setBundleName] = useState(params.get('bundle') ?? '')
  if (result !== null)
    return <ImportDone result={result} bundleName={bundleName} onAgain={() => setResult(null)} />
  return (
    <>
      <PageHeading
        title="Import"
        intro="Each line of a .env file becomes a key of the library, attached to one bundle. Nothing is written before you confirm."
      />
      {me.data?.role === 'member' ? (
        <Notice tone="plain">
          An import can change keys of other people, so only owners import. You can create a bundle and attach
          keys that you create.
        </Notice>
      ) : keys.data === undefined || me.data === undefined ? (
        <LoadingState error={keys.error ?? me.error} onRetry={() => void keys.refetch()} what="the library" />
      ) : (
        <ImportForm bundleName={bundleName} onBundleName={setBundleName} onDone={setResult} />
      )}
    </>
  )
}

type ImportFormProps = {
  bundleName: string
  onBundleName: (name: string) => void
  onDone: (result: ImportResult) => void
}

function ImportForm({ bundleName, onBundleName, onDone }: ImportFormProps) {
  const keys = useKeys().data
  const bundles = useBundles().data ?? []
  const [text, setText] = useState('')
  const [decisions, setDecisions] = useState(UNDECIDED)
  useUnsaved(text !== '')
  const [dialect, setDialect] = useState<Dialect>('dotenv')
  const read = useMemo(() => readImport(text, dialect), [text, dialect])
  const rows = useMemo(() => planImport(read.entries, keys ?? []), [read, keys])
  const count = rows.filter((row) => isUsable(row) && !decisions.skipped.has(row.entry.name)).length
  const { done, problem, nameProblem, submit } = useImport({ bundleName, rows, decisions, onDone })
  const changeText = (next: string) => {
    setText(next)
    setDecisions(UNDECIDED)
  }
  return (
    <div className="space-y-6">
      <BundleNameField value={bundleName} bundles={bundles} problem={nameProblem} onChange={onBundleName} />
      <TextDrop text={text} onText={changeText} />
      <DialectField value={dialect} onChange={setDialect} />
      {(rows.length > 0 || read.problems.length > 0) && (
        <ImportPreview
          rows={rows}
          problems={read.problems}
          notes={read.notes}
          decisions={decisions}
          onDecide={setDecisions}
        />
      )}
      {problem !== null && (
        <Notice tone="danger" role="alert">
          {problem}
        </Notice>
      )}
      <div className="flex flex-wrap items-center gap-3">
        <Button look="primary" size="large" busy={done !== null} disabled={count === 0} onClick={submit}>
          {submitLabel(count, done)}
        </Button>
        {read.problems.length > 0 && count > 0 && (
          <p className="text-sm text-caution">
            {read.problems.length} {read.problems.length === 1 ? 'line' : 'lines'} cannot be read and will be
            left out.
          </p>
        )}
      </div>
    </div>
  )
}

function submitLabel(count: number, done: number | null): string {
  if (done !== null) return `Importing ${done} of ${count}…`
  return count === 0 ? 'Import' : `Import ${count} ${count === 1 ? 'key' : 'keys'}`
}

type UseImportOptions = {
  bundleName: string
  rows: ReturnType<typeof planImport>
  decisions: Decisions
  onDone: (result: ImportResult) => void
}

function useImport({ bundleName, rows, decisions, onDone }: UseImportOptions) {
  const client = useQueryClient()
  const [done, setDone] = useState<number | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [nameProblem, setNameProblem] = useState<string | null>(null)
  const submit = () => {
    const found = bundleNameProblem(bundleName)
    setNameProblem(found)
    if (found !== null || done !== null) return
    setDone(0)
    setProblem(null)
    runImport({ bundleName, rows, decisions, onProgress: setDone })
      .then(onDone, (error: unknown) => setProblem(describeFailure(error).message))
      .finally(() => {
        setDone(null)
        void client.invalidateQueries()
      })
  }
  return { done, problem, nameProblem, submit }
}
