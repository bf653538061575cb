import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitepress'

const ROOT = join(import.meta.dirname, '../..')
const PAGES = join(import.meta.dirname, '../pages')

type Tag = { name: string; title: string }

const tags: Tag[] = JSON.parse(readFileSync(join(PAGES, 'reference/tags.json'), 'utf8'))

/** The groups of docs/README.md, which is the list of all pages. */
const groups = readFileSync(join(ROOT, 'docs/README.md'), 'utf8')
  .split(/^## /m)
  .slice(1)
  .map((section) => ({
    text: section.split('\n')[0] ?? '',
    collapsed: false,
    items: [...section.matchAll(/^\| \[.*?\]\((.+?)\) \|/gm)].map(([, target = '']) => itemOf(target)),
  }))

function itemOf(target: string) {
  const link = target.startsWith('../') ? `/${target.slice(3)}` : `/docs/${target}`
  if (target.endsWith('/')) return { text: 'Decisions', link }
  const [, title = target] = /^# (.*)$/m.exec(readFileSync(join(ROOT, link), 'utf8')) ?? []
  return { text: title, link: link.replace(/\.md$/, '') }
}

function slugify(heading: string): string {
  const words = heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
  return words.replaceAll(/\s/g, '-')
}

export default defineConfig({
  title: 'Keyferry',
  description: 'Delivers environment-variable secrets to a terminal without leaving a credential there',
  srcDir: 'pages',
  outDir: 'dist',
  cleanUrls: true,
  lastUpdated: false,
  // Addresses of a server on the reader's computer are no pages of the site.
  ignoreDeadLinks: [/^http:\/\/(localhost|127\.0\.0\.1)/],
  // As the repository's pages have them, so that one link works in both.
  markdown: { anchor: { slugify } },
  themeConfig: {
    // Only pages with all words, and words with a slip in ten letters.
    search: {
      provider: 'local',
      options: { miniSearch: { searchOptions: { combineWith: 'AND', fuzzy: 0.1 } } },
    },
    nav: [
      ...groups.map(({ text, items }) => ({ text, link: items[0]?.link ?? '/' })),
      { text: 'API reference', link: '/reference/requests' },
    ],
    sidebar: [
      ...groups,
      {
        text: 'API reference',
        collapsed: true,
        items: tags.map(({ name, title }) => ({ text: title, link: `/reference/${name}` })),
      },
    ],
    outline: { level: [2, 3] },
  },
})
