import { type Dialect, readImport } from '@keyferry/contract/env'
import { useMemo, useState } from 'react'
import { Link, useSearchParams } from 'wouter'
import type { ImportPlan } from '../../lib/calls/answers.ts'
import { useAnswer } from '../../lib/calls/use-answer.ts'
import { useUnsaved } from '../../lib/page/unsaved.ts'
import { bundleNameProblem } from '../../lib/rules/bundle-names.ts'
import { PageHeading } from '../../ui/page-heading.tsx'
import { BundleNameField } from './bundle-name-field.tsx'
import { UNDECIDED } from './decisions.ts'
import { DialectField } from './dialect-field.tsx'
import { ImportDone } from './import-done.tsx'
import { ImportPreview } from './import-preview.tsx'
import { ImportSubmit } from './import-submit.tsx'
import { TextDrop } from './text-drop.tsx'
import { usePlan } from './use-plan.ts'

/** Imports a `.env` or JSON text into a bundle, after the server's plan was shown. */
export function ImportPage() {
  const [result, setResult] = useState<ImportPlan | null>(null)
  const [params] = useSearchParams()
  const [bundleName, setBundleName] = useState(params.get('bundle') ?? '')
  if (result !== null)
    return <ImportDone result={result} bundleName={bundleName} onAgain={() => setResult(null)} />
  return (
    <>
      <PageHeading
        title="Import"
        intro={
          <>
            Each line of a .env file becomes a variable of one bundle. Other bundles keep their values.
            Nothing is written before you confirm. To bring all bundles of a local server,{' '}
            <Link href="/bundles/move" className="link">
              move its library
            </Link>
            .
          </>
        }
      />
      <ImportForm bundleName={bundleName} onBundleName={setBundleName} onDone={setResult} />
    </>
  )
}

type ImportFormProps = {
  bundleName: string
  onBundleName: (name: string) => void
  onDone: (result: ImportPlan) => void
}

function ImportForm({ bundleName, onBundleName, onDone }: ImportFormProps) {
  const bundles = useAnswer('listBundles', {}).data ?? []
  const [text, setText] = useState('')
  const [decisions, setDecisions] = useState(UNDECIDED)
  const [nameProblem, setNameProblem] = useState<string | null>(null)
  const [dialect, setDialect] = useState<Dialect>('dotenv')
  const saved = useUnsaved(text !== '')
  const read = useMemo(() => readImport(text, dialect), [text, dialect])
  const planning = usePlan({ bundleName, entries: read.entries, decisions })
  const changeText = (next: string) => {
    setText(next)
    setDecisions(UNDECIDED)
  }
  return (
    <div className="space-y-6">
      <BundleNameField value={bundleName} bundles={bundles} problem={nameProblem} onChange={onBundleName} />
      <TextDrop text={text} onText={changeText} />
      <DialectField value={dialect} onChange={setDialect} />
      {(read.entries.length > 0 || read.problems.length > 0) && (
        <ImportPreview read={read} planning={planning} decisions={decisions} onDecide={setDecisions} />
      )}
      <ImportSubmit
        planning={planning}
        unreadable={read.problems.length}
        count={read.entries.filter(({ name }) => !decisions.skipped.has(name)).length}
        onName={() => {
          const problem = bundleNameProblem(bundleName)
          setNameProblem(problem)
          return problem === null
        }}
        onDone={(result) => {
          saved()
          onDone(result)
        }}
      />
    </div>
  )
}
