import type { FastifyReply } from 'fastify'

/** Tell a person that sign-in did not work, why, and how to go on: a page of its own, for the app may not be able to
 * do anything yet.
 * @param reason one of our own sentences; nothing of what a request brought */
export function sendSignInFailure(reply: FastifyReply, reason: string): FastifyReply {
  return reply.type('text/html; charset=utf-8').send(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Sign-in did not work · Keyferry</title>
<main>
<h1>Sign-in did not work</h1>
<p>${reason}</p>
<p><a href="/sign-in">Try again</a></p>
</main>
</html>
`)
}
