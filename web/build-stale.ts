import { buildIfStale } from './stale.ts'

const OWN = ['web/app', 'web/package.json', 'web/build.ts']
// The files that the pages of machines and webhooks show.
const SHOWN = ['deploy/ci', 'deploy/webhooks']
const sources = [...OWN, ...SHOWN, 'contract/src']

// Before `npm start`.
await buildIfStale(
  { built: 'web/app/dist/index.html', sources, says: 'Building the browser app' },
  async () => {
    const { buildPages } = await import('./build.ts')
    await buildPages('warn')
  },
)
