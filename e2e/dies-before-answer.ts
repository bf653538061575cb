import { ServerResponse } from 'node:http'

// Loaded into the server before anything else: it dies when it has stored a deposit and is about to answer.

const { writeHead } = ServerResponse.prototype

ServerResponse.prototype.writeHead = new Proxy(writeHead, {
  apply(target, response: ServerResponse, given) {
    if (response.req.url?.endsWith('/release')) process.kill(process.pid, 'SIGKILL')
    return Reflect.apply(target, response, given)
  },
})
