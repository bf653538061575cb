import { readFile, rm } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'

const DIST = join(import.meta.dirname, 'dist')

// Modules of CommonJS in a bundle of ES modules look for these.
const COMMON_JS = `import { createRequire } from 'node:module'
const require = createRequire(import.meta.url), __filename = import.meta.filename, __dirname = import.meta.dirname`

const fromDist = (place: string) => JSON.stringify(`/${relative(DIST, place)}`)

// A file finds what is beside it from where its source is.
const ownPlaces: Plugin = {
  name: 'own-places',
  setup: (plugin) => {
    plugin.onLoad({ filter: /\/(api\/src|server\/src|web\/server)\/.*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      return {
        loader: 'ts',
        contents: text
          .replaceAll('import.meta.url', `new URL('.' + ${fromDist(path)}, import.meta.url)`)
          .replaceAll('import.meta.dirname', `(import.meta.dirname + ${fromDist(dirname(path))})`),
      }
    })
  },
}

// The first loads machine code that is beside it; the second has other exports in a bundle.
const NOT_BUNDLED = ['sodium-native', '@zxcvbn-ts/*', 'pg-native']

/** Bundle keyferry-server into `dist`. It starts in half the processor time: it has a thousand modules. */
export async function bundleServer(): Promise<void> {
  await rm(DIST, { recursive: true, force: true })
  await build({
    entryPoints: [join(import.meta.dirname, 'src/main.ts')],
    outdir: DIST,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    banner: { js: COMMON_JS },
    plugins: [ownPlaces],
    external: NOT_BUNDLED,
    logLevel: 'error',
  })
}

const isProgram = import.meta.url === pathToFileURL(process.argv[1] ?? '').href
if (isProgram) await bundleServer()
