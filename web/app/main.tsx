import { QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { createQueryClient } from './lib/calls/query-client.ts'
import { applyTheme, chosenTheme } from './lib/page/theme.ts'
import { watchLeaving } from './lib/page/unsaved.ts'
import { Routes } from './routes.tsx'
import './tokens.css'

applyTheme(chosenTheme())
watchLeaving()
const root = document.getElementById('root')
if (root !== null) {
  createRoot(root).render(
    <QueryClientProvider client={createQueryClient()}>
      <Routes />
    </QueryClientProvider>,
  )
}
