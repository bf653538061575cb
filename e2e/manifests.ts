import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'

type Container = {
  readonly name: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly env?: readonly { readonly name: string; readonly value?: string }[]
}

type Pod = {
  readonly containers: readonly Container[]
  readonly initContainers?: readonly Container[]
  readonly terminationGracePeriodSeconds?: number
}

/** What the tests read of a manifest. */
export type Manifest = {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec?: { readonly template?: { readonly spec?: Pod } }
}

/** The manifests of a file in `deploy/`, also those of a list. */
export function manifestsOf(file: string): Manifest[] {
  const text = readFileSync(join(import.meta.dirname, '../deploy', file), 'utf8')
  const documents = parseAllDocuments(text, { merge: true }).map((document) => document.toJS())
  return documents.flatMap((document) => document.items ?? document)
}
