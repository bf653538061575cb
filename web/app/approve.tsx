import { createRoot } from 'react-dom/client'
import { ApprovalPage } from './features/approval/approval-page.tsx'
import { requestOfPage, takeWayBack } from './features/approval/way-back.ts'
import { applyTheme, chosenTheme } from './lib/page/theme.ts'
import { FailureBoundary } from './ui/failure-boundary.tsx'
import './tokens.css'

applyTheme(chosenTheme())
const requestId = requestOfPage()
const wayBack = takeWayBack(requestId)
const root = document.getElementById('root')
if (root !== null) {
  createRoot(root).render(
    <FailureBoundary>
      <ApprovalPage requestId={requestId} wayBack={wayBack} />
    </FailureBoundary>,
  )
}
