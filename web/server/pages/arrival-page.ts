import type { FastifyReply } from 'fastify'
import type { AppFiles } from './app-files.ts'
import { filledIn } from './filled-in.ts'

/** Lead a signed-out person from the approval page to sign-in. A redirect would lose the fragment of the page's
 * address, which only a script can keep; without scripts this page redirects too.
 * @param path of sign-in */
export async function sendToSignIn(
  files: AppFiles,
  reply: FastifyReply,
  path: string,
): Promise<FastifyReply> {
  const file = await files.page('arrive.html')
  if (!file) return reply.redirect(path, 302)
  const html = filledIn(file.encodings.identity.toString('utf8'), { path })
  return reply.type(file.type).header('cache-control', 'no-store').send(html)
}
