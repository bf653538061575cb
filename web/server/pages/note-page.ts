import type { FastifyReply } from 'fastify'
import type { Note } from '../http/refusal.ts'
import type { AppFiles } from './app-files.ts'

const ENTRY = 'note.html'
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Answer with a page that looks like the app but needs no script. */
export async function sendNote(
  files: AppFiles,
  reply: FastifyReply,
  { title, text, way }: Note,
): Promise<FastifyReply> {
  const file = await files.page(ENTRY)
  if (!file) return reply.type('text/plain; charset=utf-8').send(`${title}\n\n${text}\n`)
  const words: Readonly<Record<string, string>> = { title, text, label: way.label, path: way.path }
  const other = way.kind === 'link' ? 'post' : 'link'
  const html = file.encodings.identity
    .toString('utf8')
    .replace(new RegExp(`<!--${other}-->.*<!--/${other}-->`, 's'), '')
    .replace(/\{(title|text|label|path)\}/g, (_, name: string) => escaped(words[name] ?? ''))
  return reply.type(file.type).header('cache-control', 'no-store').send(html)
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => ESCAPES[sign] ?? '')
}
