import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { openApiDocument } from '../contract/src/openapi.ts'

// Copies the documents into `pages/`, as VitePress reads them: README.md is the page of its folder, and links to files
// that are no pages lead to the repository, if REPOSITORY names it, for example https://git.example.com/keyferry/blob/main.

const ROOT = join(import.meta.dirname, '..')
const PAGES = join(import.meta.dirname, 'pages')
const REPOSITORY = process.env['REPOSITORY'] || undefined
const SOURCES = ['*.md', 'docs/**/*.md', 'deploy/README.md', 'vectors/README.md']

const pages = new Set(globSync(SOURCES, { cwd: ROOT }))

rmSync(PAGES, { recursive: true, force: true })
for (const page of pages) write(addressOf(page), asPage(page))
cpSync(join(ROOT, 'docs/pictures'), join(PAGES, 'docs/pictures'), { recursive: true })
writeReference()
writeColours()

function write(path: string, text: string): void {
  mkdirSync(dirname(join(PAGES, path)), { recursive: true })
  writeFileSync(join(PAGES, path), text)
}

function addressOf(page: string): string {
  return page.replace(/(^|\/)README\.md$/, '$1index.md')
}

/** The text of a page; code stays as it is. */
function asPage(page: string): string {
  const text = readFileSync(join(ROOT, page), 'utf8')
  const parts = text.split(/(^ *```.*?^ *```$|`[^`\n]+`)/gms)
  // A link can contain code in its text, so links come first.
  const linked = parts.join('').replaceAll(/(?<!!)\[([^\]]+)\]\(([^)\s]+)\)/g, (whole, label, target) => {
    return /^(https?:|#|mailto:)/.test(target) ? whole : linkTo(page, label, target)
  })
  return linked
    .split(/(^ *```.*?^ *```$|`[^`\n]+`)/gms)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll(/<(?!https?:)/g, '&lt;')))
    .join('')
}

function linkTo(page: string, label: string, target: string): string {
  const [path = '', anchor] = target.split('#')
  const file = normalize(join(dirname(page), path)).replace(/\/$/, '')
  const found = [file, join(file, 'README.md')].find((candidate) => pages.has(candidate))
  if (found !== undefined) {
    const address = relative(dirname(page), addressOf(found))
    return `[${label}](${address}${anchor === undefined ? '' : `#${anchor}`})`
  }
  if (!existsSync(join(ROOT, file))) throw new Error(`${page} links ${target}, which does not exist`)
  return REPOSITORY === undefined ? label : `[${label}](${REPOSITORY}/${file})`
}

type Operation = { method: string; path: string; operationId: string; summary: string; tags: string[] }

type Reference = {
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
}

/** One page for each group of endpoints, made from the OpenAPI document. */
function writeReference(): void {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  // The pattern of every id would be longer than what is said about the field.
  const text = JSON.stringify(openApiDocument(version), (_, value) =>
    value?.format === 'uuid' ? { ...value, pattern: undefined } : value,
  )
  const whole: Reference = JSON.parse(text)
  const { tags, paths } = whole
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  )
  for (const { name, description } of tags) {
    const own = operations.filter((operation) => operation.tags.includes(name))
    const rows = own.map(
      ({ method, path, operationId, summary }) => `| [${summary}](#${operationId}) | \`${method} ${path}\` |`,
    )
    write(`reference/${name}.json`, JSON.stringify({ ...whole, paths: pathsOf(whole, name) }))
    const lines = [
      '---',
      'aside: false',
      'outline: false',
      `title: "API reference: ${name}"`,
      '---',
      '<script setup>',
      `import spec from './${name}.json'`,
      '</script>',
      '',
      `# ${capitalized(name)}`,
      '',
      `${description}. [All endpoints](../docs/api.md)`,
      '',
      '| what it does | call |',
      '|---|---|',
      ...rows,
      '',
      '<OASpec :spec="spec" hide-info hide-servers hide-branding />',
    ]
    write(`reference/${name}.md`, `${lines.join('\n')}\n`)
  }
  write('reference/tags.json', JSON.stringify(tags.map(({ name }) => ({ name, title: capitalized(name) }))))
}

function pathsOf({ paths }: Reference, tag: string): Reference['paths'] {
  const own = Object.entries(paths).map(([path, methods]) => [
    path,
    Object.fromEntries(Object.entries(methods).filter(([, { tags }]) => tags.includes(tag))),
  ])
  return Object.fromEntries(own.filter(([, methods]) => Object.keys(methods).length > 0))
}

function capitalized(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('-', ' ')}`
}

/** The colours of the product, once for each theme. */
function writeColours(): void {
  const tokens = readFileSync(join(ROOT, 'web/app/tokens.css'), 'utf8')
  const colours = [...tokens.matchAll(/--color-([\w-]+): light-dark\((#\w+), (#\w+)\);/g)]
  const rule = (selector: string, part: 2 | 3) =>
    `${selector} {\n${colours.map((colour) => `  --kf-${colour[1]}: ${colour[part]};`).join('\n')}\n}\n`
  writeFileSync(
    join(import.meta.dirname, '.vitepress/theme/colours.css'),
    rule(':root', 2) + rule('.dark', 3),
  )
}
