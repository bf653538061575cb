import { join } from 'node:path'
import { expect, test } from 'vitest'
import { TOOLS } from '../plumbing/test/programs.ts'
import { type Manifest, manifestsOf } from './manifests.ts'

const ROOT = join(import.meta.dirname, '..')

type Model = new (manifest: unknown) => { validate(): void }

/** The model of Kubernetes for a kind of manifest: `apps/v1`, `Deployment`. */
async function modelOf({ apiVersion, kind }: Manifest): Promise<Model> {
  const models: Readonly<Record<string, Model>> = await import(
    join(ROOT, TOOLS, 'kubernetes-models', apiVersion, 'index.js')
  )
  const model = models[kind]
  if (model === undefined) throw new Error(`Kubernetes knows no ${kind} of ${apiVersion}`)
  return model
}

const FILES = ['kubernetes/keyferry.yaml', 'ci/kubernetes/billing.yaml']
const all = FILES.flatMap((file) =>
  manifestsOf(file).map((manifest) => [file, manifest.kind, manifest] as const),
)

test.each(all)('%s: the %s has the form that Kubernetes demands', async (_file, _kind, manifest) => {
  const form = await modelOf(manifest)
  new form(manifest).validate()
  expect(() => new form({ ...manifest, metadata: 'none' }).validate()).toThrow()
})
