import { readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'

const SERVER = join(import.meta.dirname, '../server')
const DIST = join(import.meta.dirname, 'dist')
const SOURCE_ENTRY = '../src/main.ts'

// Modules of CommonJS in a bundle of ES modules look for these.
const COMMON_JS = `import { createRequire } from 'node:module'
const require = createRequire(import.meta.url), __filename = import.meta.filename, __dirname = import.meta.dirname`

// A file finds what is beside it from where its source is.
const ownPlaces: Plugin = {
  name: 'own-places',
  setup: (plugin) => {
    plugin.onLoad({ filter: /\/(api\/src|server\/src|web\/server)\/.*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      return {
        loader: 'ts',
        contents: text
          .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path)))
          .replaceAll('import.meta.dirname', JSON.stringify(dirname(path))),
      }
    })
  },
}

// The first loads machine code that is beside it; the second has other exports in a bundle.
const NOT_BUNDLED = ['sodium-native', '@zxcvbn-ts/*', 'pg-native']

/** Bundle keyferry-server for tests. It starts in half the processor time: it has a thousand modules. */
export async function bundleServer(): Promise<void> {
  await rm(DIST, { recursive: true, force: true })
  await build({
    entryPoints: [join(SERVER, 'src/main.ts')],
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
  const launcher = await readFile(join(SERVER, 'bin/keyferry-server.js'), 'utf8')
  if (!launcher.includes(SOURCE_ENTRY)) throw new Error(`keyferry-server.js does not import ${SOURCE_ENTRY}`)
  await writeFile(join(DIST, 'keyferry-server.js'), launcher.replace(SOURCE_ENTRY, './main.js'))
}
