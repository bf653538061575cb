import type { FastifyReply } from 'fastify'
import type { Note } from '../http/refusal.ts'
import type { AppFiles } from './app-files.ts'
import { filledIn } from './filled-in.ts'

const ENTRY = 'note.html'

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
  const whole = file.encodings.identity.toString('utf8')
  const html = whole.replace(new RegExp(`<!--${other}-->.*<!--/${other}-->`, 's'), '')
  return reply.type(file.type).header('cache-control', 'no-store').send(filledIn(html, words))
}
