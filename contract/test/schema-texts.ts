import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const SOURCES = join(import.meta.dirname, '../src')
const DECLARATION = /\/\*\*((?:(?!\*\/).)*)\*\/\s*(?:export )?const \w+ = (.*?)(?=\n\n|$(?![\s\S]))/gs
const ID = /(?:^(?:object|partial|changeOf)\(\s*'(\w+)'|\bid: '(\w+)')/

/** What the doc comments of the schemas say, as JSON, by the id that a schema has in the OpenAPI document. */
export function schemaTexts(): string {
  const files = globSync(['schemas/*.ts', '{accounts,machines,webhooks}/*.ts'], { cwd: SOURCES }).toSorted()
  const texts = files.flatMap((file) => textsOf(readFileSync(join(SOURCES, file), 'utf8')))
  return `${JSON.stringify(Object.fromEntries(texts.toSorted(([one], [other]) => (one < other ? -1 : 1))), null, 2)}\n`
}

function textsOf(source: string): [string, string][] {
  return [...source.matchAll(DECLARATION)].flatMap(([, comment = '', declaration = '']) => {
    const [, first, second] = ID.exec(declaration) ?? []
    const id = first ?? second
    return id === undefined ? [] : [[id, plain(comment)]]
  })
}

function plain(comment: string): string {
  const lines = comment.split('\n').map((line) => line.replace(/^\s*\*? ?/, ''))
  return lines.join(' ').replaceAll(/\s+/g, ' ').trim()
}
