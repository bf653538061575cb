import { readImport } from '@keyferry/contract/env'
import type { Dialect } from '@keyferry/contract/env/dialects'
import { useId, useMemo, useState } from 'react'
import { useSearchParams } from 'wouter'
import type { Bundle, ImportPlan } from '../../lib/calls/answers.ts'
import { useAnswer } from '../../lib/calls/use-call.ts'
import { takeHandedText } from '../../lib/page/handed-text.ts'
import { useUnsaved } from '../../lib/page/unsaved.ts'
import { bundleNameProblem } from '../../lib/rules/bundle-names.ts'
import { runCommand } from '../../lib/words/client-command.ts'
import { planText } from '../../lib/words/import-steps.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { CommandLine } from '../../ui/command-line.tsx'
import { FileChooser, useTextFile } from '../../ui/file-drop.tsx'
import { InstallClient } from '../../ui/install-client.tsx'
import { Section } from '../../ui/section.tsx'
import { Select } from '../../ui/select.tsx'
import { TextArea, TextField } from '../../ui/text-field.tsx'
import { UNDECIDED } from './decisions.ts'
import { ImportPreview } from './import-preview.tsx'
import { ImportSubmit } from './import-submit.tsx'
import { usePlan } from './use-plan.ts'

/** Imports a `.env` or JSON text into a bundle, after the server's plan was shown. */
export function FileImport() {
  const [result, setResult] = useState<ImportPlan | null>(null)
  const [params] = useSearchParams()
  const [bundleName, setBundleName] = useState(params.get('bundle') ?? '')
  if (result !== null)
    return <ImportDone result={result} bundleName={bundleName} onAgain={() => setResult(null)} />
  return <ImportForm bundleName={bundleName} onBundleName={setBundleName} onDone={setResult} />
}

type ImportFormProps = {
  bundleName: string
  onBundleName: (name: string) => void
  onDone: (result: ImportPlan) => void
}

function ImportForm({ bundleName, onBundleName, onDone }: ImportFormProps) {
  const bundles = useAnswer('listBundles', {}).data ?? []
  const [text, setText] = useState(takeHandedText)
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
        bundleName={bundleName}
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

type BundleNameFieldProps = {
  value: string
  bundles: readonly Bundle[]
  problem: string | null
  onChange: (name: string) => void
}

/** The bundle to import into: an existing one, or a new one by the name typed. */
function BundleNameField({ value, bundles, problem, onChange }: BundleNameFieldProps) {
  const listId = useId()
  const exists = bundles.some(({ name }) => name === value)
  return (
    <div className="max-w-read">
      <TextField
        label="Bundle"
        value={value}
        onChange={onChange}
        problem={problem}
        hint={
          value === ''
            ? 'An existing name, or a new one such as dev/app.'
            : exists
              ? 'Exists: variables are added to it.'
              : 'New: it will be created.'
        }
        placeholder="dev/app"
        list={listId}
        code="normal"
      />
      <datalist id={listId}>
        {bundles.map(({ id, name }) => (
          <option key={id} value={name} />
        ))}
      </datalist>
    </div>
  )
}

const LABELS: Readonly<Record<Dialect, string>> = {
  dotenv: 'npm dotenv, Node.js',
  shell: 'a shell',
  compose: 'Docker Compose',
}

/** What the `.env` text was written for: programs read quotes and backslashes differently. */
function DialectField({ value, onChange }: { value: Dialect; onChange: (value: Dialect) => void }) {
  return (
    <label className="flex flex-wrap items-center gap-2 text-sm">
      The .env file was written for
      <Select value={value} options={LABELS} onChange={onChange} className="field w-auto" />
    </label>
  )
}

type ImportDoneProps = { result: ImportPlan; bundleName: string; onAgain: () => void }

/** What an import did, and the next step. */
function ImportDone({ result, bundleName, onAgain }: ImportDoneProps) {
  return (
    <Section
      title="Imported"
      size="large"
      className="max-w-read"
      intro={`Into ${bundleName}: ${planText(result.plan)}. Now start your program with them.`}
    >
      <InstallClient />
      <CommandLine command={runCommand(bundleName)} />
      <p className="mt-2 text-sm text-ink-soft">
        A page opens on which you approve. Then you can delete the .env file.
      </p>
      <div className="mt-6 flex flex-wrap gap-3">
        <ButtonLink label="Open the bundle" href={`/bundles/${result.bundle_id}`} look="primary" />
        <Button label="Import more" onClick={onAgain} />
      </div>
    </Section>
  )
}

/** Where a text is pasted, or a file dropped or chosen. */
function TextDrop({ text, onText }: { text: string; onText: (text: string) => void }) {
  const { over, read, dropping } = useTextFile(onText)
  return (
    <div
      {...dropping}
      className={classNames('rounded-md', over && 'outline-2 outline-offset-4 outline-accent outline-dashed')}
    >
      <TextArea
        label="Content of the .env or JSON file"
        value={text}
        rows={9}
        onChange={onText}
        placeholder={'DATABASE_URL=postgres://…\nPORT=3000'}
        code="small"
      />
      <div className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-2">
        <FileChooser size="small" onFiles={read} />
        <p className="text-xs text-ink-soft">
          Or drop one here. Its values go to the server for the preview, which stores none of them.
        </p>
        {text !== '' && (
          <Button label="Clear" look="quiet" size="small" onClick={() => onText('')} className="ml-auto" />
        )}
      </div>
    </div>
  )
}
