import { hash } from 'node:crypto'
import { z } from 'zod'

/** What is known about vulnerabilities of the packages in the client, for scanners that go by version alone. */
const STATEMENTS: readonly VexStatement[] = [
  {
    id: 'CVE-2024-21538',
    package: 'cross-spawn',
    status: 'fixed',
    notes:
      'A regular expression that takes long for a crafted argument. Versions from 7.0.5 have the correction.',
  },
]

type VexStatement = {
  id: string
  package: string
  notes: string
} & ({ status: 'fixed' | 'under_investigation' } | { status: 'not_affected'; justification: string })

const Bill = z.object({
  metadata: z.object({ timestamp: z.string(), component: z.object({ purl: z.string() }) }),
  components: z.array(z.object({ name: z.string(), purl: z.string() })),
})

/** The statements as OpenVEX 0.2, about the versions that a bill of materials names.
 * @param bill CycloneDX JSON
 * @throws Error: a statement is about a package that is not in the bill */
export function vulnerabilityStatements(
  bill: string,
  statements: readonly VexStatement[] = STATEMENTS,
): string {
  const { metadata, components } = Bill.parse(JSON.parse(bill))
  const document = {
    '@context': 'https://openvex.dev/ns/v0.2.0',
    author: 'The Keyferry project',
    timestamp: metadata.timestamp,
    version: 1,
    statements: statements.map(({ id, package: name, notes, ...rest }) => {
      const [component] = components.filter((it) => it.name === name)
      if (component === undefined) throw new Error(`${id}: ${name} is not in the bill of materials`)
      const products = [{ '@id': metadata.component.purl, subcomponents: [{ '@id': component.purl }] }]
      return { vulnerability: { name: id }, products, ...rest, status_notes: notes }
    }),
  }
  const id = `https://openvex.dev/docs/public/vex-${hash('sha256', JSON.stringify(document))}`
  return `${JSON.stringify({ ...document, '@id': id }, null, 2)}\n`
}
