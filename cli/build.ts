import { execFileSync } from 'node:child_process'
import { appendFile, copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import manifest from './package.json' with { type: 'json' }
import { manualPage } from './src/command-line/manual-page.ts'
import { commands } from './src/commands/commands.ts'

const HERE = import.meta.dirname
// The folder that is written: an argument, or dist.
const DIST = process.argv[2] ?? join(HERE, 'dist')
const SOURCE_ENTRY = '../src/main.ts'

// The published package: it contains everything and has no dependencies.
const PUBLISHED = {
  name: manifest.name,
  version: manifest.version,
  description: manifest.description,
  license: manifest.license,
  type: 'module',
  bin: { keyferry: 'bin/keyferry.js' },
  exports: {
    './client': { types: './lib/client.d.ts', default: './lib/client.js' },
    './config': { types: './lib/config.d.cts', default: './lib/config.cjs' },
    './package.json': './package.json',
  },
  man: ['man/keyferry.1'],
  files: ['bin', 'lib', 'man'],
  engines: { node: '>=20.16' },
}

// An import of a Node module touches each of its exports, and some of them load much code. A call that reads only the
// names in use takes a fraction of the time.
const quickBuiltins: Plugin = {
  name: 'quick-builtins',
  setup: (plugin) => {
    const names = new Set(builtinModules)
    plugin.onResolve({ filter: /^(?:node:)?[a-z_/0-9]+$/ }, ({ path, kind }) => {
      const name = path.replace(/^node:/, '')
      return names.has(name)
        ? { path: name, namespace: kind === 'require-call' ? 'required' : 'imported' }
        : null
    })
    plugin.onLoad({ filter: /./, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('node:${path}')`,
    }))
    plugin.onLoad({ filter: /./, namespace: 'imported' }, ({ path }) => ({ contents: importedBuiltin(path) }))
  },
}

const SEPARATE = { mcp: 'mcp/serve.ts', 'live-view': 'terminal/live-view.ts' }

const separateFiles: Plugin = {
  name: 'separate-files',
  setup: (plugin) => {
    plugin.onResolve({ filter: /\.ts$/ }, ({ path, kind, resolveDir }) => {
      const file = join(resolveDir, path)
      const found = Object.entries(SEPARATE).find(([, source]) => file.endsWith(`/${source}`))
      if (found === undefined || kind !== 'dynamic-import') return null
      return { path: `./${found[0]}.js`, external: true }
    })
  },
}

function importedBuiltin(name: string): string {
  const found: unknown = process.getBuiltinModule(`node:${name}`)
  const exports = Object.keys(Object(found))
  const lines = exports
    .filter((key) => /^[A-Za-z]\w*$/.test(key) && key !== 'default')
    .map((key) => `const _${key} = /* @__PURE__ */ (() => builtin.${key})()\nexport { _${key} as ${key} }`)
  return [
    `const builtin = process.getBuiltinModule('node:${name}')`,
    'export default builtin',
    ...lines,
  ].join('\n')
}

await rm(DIST, { recursive: true, force: true })
await bundle()
await declareTypes()
await mkdir(join(DIST, 'bin'))
await mkdir(join(DIST, 'man'))
await writeFile(join(DIST, 'bin', 'keyferry.js'), await launcher(), { mode: 0o755 })
await writeFile(join(DIST, 'man', 'keyferry.1'), manualPage(commands))
await writeFile(join(DIST, 'package.json'), `${JSON.stringify(PUBLISHED, null, 2)}\n`)
await copyFile(join(HERE, '..', 'LICENSE'), join(DIST, 'LICENSE'))
await copyFile(join(HERE, 'README.md'), join(DIST, 'README.md'))

// One file: a module in it still runs only when a lazy import needs it, and one file is read faster than many. What
// serves agents has its own file, because its libraries are twice as large as everything else. What only a person at a
// terminal sees has one too, so that the package contains its library once. What client.js and mcp.js share is in files
// that both load, because neither has to start as fast as a command.
async function bundle(): Promise<void> {
  const options: BuildOptions = {
    outdir: join(DIST, 'lib'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.16',
    minify: true,
    legalComments: 'linked',
  }
  const plugins = [quickBuiltins, separateFiles]
  const { mcp, ...others } = SEPARATE
  for (const entries of [{ main: 'main.ts' }, others, { client: 'client.ts', mcp }]) {
    const entryPoints = Object.entries(entries).map(([out, source]) => ({
      in: join(HERE, 'src', source),
      out,
    }))
    await build({ ...options, entryPoints, splitting: entryPoints.length > 1, plugins })
  }
  // CommonJS, so that --require and require() load it on every Node.
  await build({
    ...options,
    format: 'cjs',
    entryPoints: { config: join(HERE, 'src', 'set-environment.ts') },
    outExtension: { '.js': '.cjs' },
    plugins: [quickBuiltins],
  })
}

// The file of types imports nothing, so its declarations need no other file.
async function declareTypes(): Promise<void> {
  const lib = join(DIST, 'lib')
  const flags = ['--ignoreConfig', '--noResolve', '--noCheck', '--declaration', '--emitDeclarationOnly']
  const out = ['--outDir', lib, '--target', 'es2024', '--module', 'nodenext']
  const tsc = join(HERE, '../node_modules/typescript/bin/tsc')
  const args = [tsc, join(HERE, 'src', 'client-types.ts'), ...flags, ...out]
  execFileSync(process.execPath, args, { stdio: 'inherit' })
  await rename(join(lib, 'client-types.d.ts'), join(lib, 'client.d.ts'))
  await appendFile(join(lib, 'client.d.ts'), 'export declare const deliver: Deliver;\n')
  await writeFile(join(lib, 'config.d.cts'), 'export {}\n')
}

async function launcher(): Promise<string> {
  const source = await readFile(join(HERE, 'bin', 'keyferry.js'), 'utf8')
  if (!source.includes(SOURCE_ENTRY)) throw new Error(`bin/keyferry.js does not import ${SOURCE_ENTRY}`)
  return source.replace(SOURCE_ENTRY, '../lib/main.js')
}
