import type { FastifyReply } from 'fastify'

/** Let a form of this page also go to a program on the person's own computer: an approval returns to the client that
 * way. */
export function allowFormsToOwnComputer(reply: FastifyReply): void {
  const policy = String(reply.getHeader('content-security-policy'))
  const targets = "form-action 'self' http://127.0.0.1:*"
  reply.header('content-security-policy', policy.replace("form-action 'self'", targets))
}
