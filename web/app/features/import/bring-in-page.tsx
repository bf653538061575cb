import { useMay } from '../../lib/data/me.ts'
import { PageHeading } from '../../ui/page-heading.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { DuplicateForm } from './duplicate-form.tsx'
import { FileImport } from './file-import.tsx'
import { LibraryMoving } from './library-moving.tsx'

const SOURCES = {
  import: { name: 'A file', Part: FileImport },
  duplicate: { name: 'Another bundle', Part: DuplicateForm },
  move: { name: 'Another server', Part: LibraryMoving },
} as const

/** Brings variables in from a file, from another bundle or from another server, after a plan was shown. */
export function BringInPage({ source }: { source: keyof typeof SOURCES }) {
  const may = useMay()
  const { Part } = SOURCES[source]
  const shown = Object.entries(SOURCES).filter(([key]) => key !== 'move' || may('moveLibrary'))
  return (
    <>
      <PageHeading title="Bring in" intro="You see what it does before anything is stored." />
      <Tabs label="From" tabs={shown.map(([key, { name }]) => ({ href: `/bundles/${key}`, name }))} />
      <Part />
    </>
  )
}
