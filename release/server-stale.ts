import { buildIfStale } from '../web/stale.ts'

const OWN = ['server/build.ts', 'server/package.json', 'server/src', 'package-lock.json']
const sources = [...OWN, 'api/src', 'web/server', 'contract/src', 'crypto/src', 'plumbing/src']

// Before `npm start`.
await buildIfStale({ built: 'server/dist/main.js', sources, says: 'Bundling the server' }, async () => {
  const { bundleServer } = await import('../server/build.ts')
  await bundleServer()
})
