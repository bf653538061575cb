import Fastify from 'fastify'

// What the start of a server is compared with: only the framework. Run as `node bench/bare-server.ts`.

const app = Fastify()
app.get('/healthz', async () => ({ status: 'ok' }))
process.stdout.write(`Listens   ${await app.listen({ host: '127.0.0.1', port: 0 })}\nCtrl-C\n`)
