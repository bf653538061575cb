import type { RequestBundleEntry } from '../../lib/answers.ts'
import { visibleText } from '../../lib/visible-text.ts'
import { Combobox } from '../../ui/combobox.tsx'
import { Notice } from '../../ui/notice.tsx'

type BundleChoiceProps = {
  bundles: readonly RequestBundleEntry[]
  suggested: string | null
  chosenId: string | null
  onChoose: (id: string) => void
}

/** The bundle to hand over from, and what became of the terminal's suggestion. */
export function BundleChoice({ bundles, suggested, chosenId, onChoose }: BundleChoiceProps) {
  const found = suggested === null || bundles.some(({ id, name }) => id === suggested || name === suggested)
  const options = bundles.map(({ id, name, description }) => ({ id, name, detail: description }))
  return (
    <>
      <Combobox
        label="Bundle"
        placeholder="Search bundles"
        options={options}
        chosenId={chosenId}
        onChoose={onChoose}
      />
      {!found && (
        <Notice tone="caution" className="mt-3">
          The terminal suggests <bdi className="font-mono">{visibleText(suggested ?? '')}</bdi>, which is not
          among your bundles. Choose one yourself.
        </Notice>
      )}
    </>
  )
}
