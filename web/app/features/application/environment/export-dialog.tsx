import { useState } from 'react'
import type { BundleWithItems } from '../../../lib/calls/answers.ts'
import { useAnswer } from '../../../lib/calls/use-call.ts'
import { saveFile } from '../../../lib/page/save-file.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Check, Copy, Download } from '../../../ui/icons.ts'
import { Loaded } from '../../../ui/loaded.tsx'
import { Select } from '../../../ui/select.tsx'
import { useCopying } from '../../../ui/use-copying.ts'

const FORMATS = { env: '.env', json: 'JSON' } as const
type ExportFormat = keyof typeof FORMATS

/** The bundle as text with its secrets masked: to read, copy or save. */
export function ExportDialog({ bundle, onClose }: { bundle: BundleWithItems; onClose: () => void }) {
  const [format, setFormat] = useState<ExportFormat>('env')
  const exported = useAnswer('exportBundle', { bundle_id: bundle.id, format }, { select: textOf })
  return (
    <Dialog title={`Export ${bundle.name}`} onClose={onClose}>
      <p className="text-sm text-ink-soft">
        Secret values are masked. To have them in a program, use{' '}
        <code translate="no" className="font-mono">
          keyferry run
        </code>{' '}
        or{' '}
        <code translate="no" className="font-mono">
          keyferry pull
        </code>
        .
      </p>
      <label className="mt-4 inline-flex items-center gap-2 text-sm font-medium">
        Format
        <Select value={format} options={FORMATS} onChange={setFormat} className="field w-auto" />
      </label>
      <Loaded query={exported} what="the text">
        {(data) => <ExportedText text={data} fileName={`${bundle.name.replaceAll('/', '-')}.${format}`} />}
      </Loaded>
    </Dialog>
  )
}

function textOf(answer: unknown): string {
  return typeof answer === 'string' ? answer : `${JSON.stringify(answer, null, 2)}\n`
}

function ExportedText({ text, fileName }: { text: string; fileName: string }) {
  const { isCopied, copy } = useCopying(text)
  return (
    <>
      <textarea
        readOnly
        aria-label="Exported text"
        value={text}
        rows={10}
        className="field mt-3 bg-sunken font-mono text-sm whitespace-pre"
      />
      <div className="mt-4 flex flex-wrap justify-end gap-3">
        <Button label={isCopied ? 'Copied' : 'Copy'} icon={isCopied ? Check : Copy} onClick={copy} />
        <Button
          label={`Save as ${fileName}`}
          look="primary"
          onClick={() => saveFile({ text, name: fileName, type: 'text/plain' })}
          icon={Download}
        />
      </div>
    </>
  )
}
