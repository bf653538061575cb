import { Download } from 'lucide-react'
import { useState } from 'react'
import { downloadLog } from '../../lib/activity/download.ts'
import { describeFailure } from '../../lib/calls/failure.ts'
import { ActivityList } from '../../ui/activity/activity-list.tsx'
import { Button } from '../../ui/button.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { OwnersOnly } from '../../ui/page-note.tsx'
import { notify } from '../../ui/toast-store.ts'
import { ActivityFilters, useActivityFilters } from './activity-filters.tsx'
import { SealLine } from './seal-line.tsx'

/** What happened in the workspace, in words. */
export function ActivityPage() {
  return (
    <OwnersOnly title="Activity" what="what happened">
      <PageHeading title="Activity" intro={<SealLine />} actions={<DownloadButton />} />
      <Activity />
    </OwnersOnly>
  )
}

function Activity() {
  const filters = useActivityFilters()
  return (
    <>
      <ActivityFilters filters={filters} />
      <ActivityList filter={filters.filter} />
    </>
  )
}

function DownloadButton() {
  const [busy, setBusy] = useState(false)
  const download = async () => {
    setBusy(true)
    try {
      const files = await downloadLog()
      notify({ text: files === 1 ? 'Saved keyferry-audit.jsonl.' : `Saved ${files} files.` })
    } catch (error) {
      notify({ text: describeFailure(error).message, tone: 'danger' })
    } finally {
      setBusy(false)
    }
  }
  return <Button label="Download" busy={busy} onClick={() => void download()} icon={Download} />
}
