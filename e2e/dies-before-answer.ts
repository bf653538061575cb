import { subscribe } from 'node:diagnostics_channel'
import { IncomingMessage, ServerResponse } from 'node:http'

// Loaded into the server before anything else: it dies when it has stored a deposit and is about to answer.

subscribe('http.server.response.created', (created) => {
  if (!isCreated(created) || !created.request.url?.endsWith('/release')) return
  created.response.writeHead = () => {
    process.kill(process.pid, 'SIGKILL')
    return created.response
  }
})

type Created = { request: IncomingMessage; response: ServerResponse }

function isCreated(message: unknown): message is Created {
  if (typeof message !== 'object' || message === null) return false
  if (!('request' in message) || !('response' in message)) return false
  return message.request instanceof IncomingMessage && message.response instanceof ServerResponse
}
