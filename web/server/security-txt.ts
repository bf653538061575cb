import { ALSO_HEAD } from '@keyferry/plumbing/http-server'
import type { FastifyInstance } from 'fastify'

const DAYS = 180
const DAY_MS = 24 * 60 * 60 * 1_000

type ContactParts = { contact: string; publicUrl: string; now: () => number }

/** Show the contact for vulnerabilities at `/.well-known/security.txt` (RFC 9116). It expires `DAYS` after the UTC day
 * of the answer, so that an old copy does not stay valid. */
export function serveSecurityTxt(app: FastifyInstance, { contact, publicUrl, now }: ContactParts): void {
  const path = '/.well-known/security.txt'
  app.get(path, ALSO_HEAD, (_request, reply) => {
    const expires = new Date((Math.floor(now() / DAY_MS) + DAYS) * DAY_MS).toISOString()
    const lines = [`Contact: ${contact}`, `Expires: ${expires}`, `Canonical: ${publicUrl}${path}`]
    return reply.type('text/plain; charset=utf-8').send(`${lines.join('\n')}\nPreferred-Languages: en\n`)
  })
}
