import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { join } from 'node:path'
import { build } from 'esbuild'
import { z } from 'zod'
import { ROOT, VERSION } from './places.ts'
import { BUN_VERSION } from './targets.ts'

const Component = z.looseObject({ 'bom-ref': z.string(), name: z.string(), version: z.string() })
const Dependency = z.object({ ref: z.string(), dependsOn: z.array(z.string()) })
const Bill = z.looseObject({
  metadata: z.looseObject({}),
  components: z.array(Component),
  dependencies: z.array(Dependency),
})

const RUNTIME = {
  'bom-ref': `bun@${BUN_VERSION}`,
  type: 'platform',
  name: 'bun',
  version: BUN_VERSION,
  scope: 'optional',
  description: 'The runtime inside the single executables; the npm package does not contain it',
  purl: `pkg:npm/bun@${BUN_VERSION}`,
  licenses: [{ license: { id: 'MIT' } }],
}

/** What the client contains, as CycloneDX JSON: of what `npm sbom` lists, the packages whose code is in the bundle, and
 * the runtime of the executables. The same sources give the same text. */
export async function billOfMaterials(): Promise<string> {
  const all = Bill.parse(JSON.parse(npmBill()))
  const names = await bundledPackages()
  // npm calls them development packages, because the published package has no dependencies.
  const components = all.components
    .filter(({ name }) => names.has(name))
    .map((component) => ({ ...component, scope: 'required', properties: [] }))
  const missing = [...names].filter((name) => !components.some((component) => component.name === name))
  if (missing.length > 0) throw new Error(`npm sbom does not list ${missing.join(', ')}`)
  const refs = new Set(components.map((component) => component['bom-ref']))
  const client = { 'bom-ref': `keyferry@${VERSION}`, name: 'keyferry', version: VERSION }
  const bill = {
    ...all,
    metadata: {
      timestamp: sourceTime(),
      component: { ...client, type: 'application', purl: `pkg:npm/keyferry@${VERSION}` },
    },
    components: [...components, RUNTIME],
    dependencies: [
      { ref: client['bom-ref'], dependsOn: [...refs, RUNTIME['bom-ref']] },
      ...all.dependencies
        .filter(({ ref }) => refs.has(ref))
        .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => refs.has(other)) })),
    ],
  }
  const text = JSON.stringify({ ...bill, serialNumber: '' })
  return `${JSON.stringify({ ...bill, serialNumber: serialNumberOf(text) }, null, 2)}\n`
}

function npmBill(): string {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--workspace', 'cli']
  return execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
}

async function bundledPackages(): Promise<Set<string>> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [join(ROOT, 'cli/src/main.ts')],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'silent',
  })
  const names = Object.keys(metafile.inputs).flatMap(
    (path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [],
  )
  return new Set(names)
}

/** When the sources were committed; SOURCE_DATE_EPOCH overrides it. */
function sourceTime(): string {
  const given = process.env['SOURCE_DATE_EPOCH']
  const seconds = given ?? execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: ROOT, encoding: 'utf8' })
  return new Date(Number(seconds) * 1000).toISOString()
}

// A UUID of version 8: made from the content.
function serialNumberOf(text: string): string {
  const digits = hash('sha256', text)
  const groups = [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(13, 16)}`,
    `a${digits.slice(17, 20)}`,
  ]
  return `urn:uuid:${[...groups, digits.slice(20, 32)].join('-')}`
}
