import { readFile, rm } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type BuildOptions, build, type Plugin } from 'esbuild'

const ROOT = join(import.meta.dirname, '..')
const DIST = join(import.meta.dirname, 'dist')

// Modules of CommonJS in a bundle of ES modules look for these.
const COMMON_JS = `import { createRequire } from 'node:module'
const require = createRequire(import.meta.url), __filename = import.meta.filename, __dirname = import.meta.dirname`

/** The code for the folder that a place of the repository is in. */
type FolderOf = (place: string) => string

const besideBundle: FolderOf = (place) =>
  `(import.meta.dirname + ${JSON.stringify(`/${relative(DIST, place)}`)})`

// Its files have the places beside the program that they have in the repository.
const besideProgram: FolderOf = (place) =>
  `require('node:path').join(process.execPath, '..', ${JSON.stringify(relative(ROOT, place))})`

// A file finds what is beside it from where its source is.
const ownPlaces = (folderOf: FolderOf): Plugin => ({
  name: 'own-places',
  setup: (plugin) => {
    plugin.onLoad({ filter: /\/(api\/src|server\/src|web\/server)\/.*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      return {
        loader: 'ts',
        contents: text
          .replaceAll('import.meta.url', `require('node:url').pathToFileURL(${folderOf(path)})`)
          .replaceAll('import.meta.dirname', folderOf(dirname(path))),
      }
    })
  },
})

// The package finds its machine code in a folder. A single executable contains the file that is named.
const machineCode = (system: string): Plugin => ({
  name: 'machine-code',
  setup: (plugin) => {
    plugin.onLoad({ filter: /\/sodium-native\/binding\.js$/ }, ({ path }) => {
      const file = join(dirname(path), 'prebuilds', system, 'sodium-native.node')
      return { contents: `module.exports = require(${JSON.stringify(file)})` }
    })
  },
})

// The first loads machine code that is beside it; the second has other exports in a bundle.
const NOT_BUNDLED = ['sodium-native', '@zxcvbn-ts/*', 'pg-native']

const COMMON: BuildOptions = {
  entryPoints: [join(import.meta.dirname, 'src/main.ts')],
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  banner: { js: COMMON_JS },
  logLevel: 'error',
}

/** Bundle keyferry-server into `dist`. It starts in half the processor time: it has a thousand modules. */
export async function bundleServer(): Promise<void> {
  await rm(DIST, { recursive: true, force: true })
  const plugins = [ownPlaces(besideBundle)]
  await build({ ...COMMON, outdir: DIST, splitting: true, plugins, external: NOT_BUNDLED })
}

/** Bundle keyferry-server into one file for a single executable. The runtime of that bundles what is left.
 * @param system for example `linux-x64` */
export async function bundleForExecutable(outfile: string, system: string): Promise<void> {
  const plugins = [ownPlaces(besideProgram), machineCode(system)]
  await build({ ...COMMON, outfile, plugins, external: ['*.node', '@zxcvbn-ts/*', 'pg-native'] })
}

const isProgram = import.meta.url === pathToFileURL(process.argv[1] ?? '').href
if (isProgram) await bundleServer()
