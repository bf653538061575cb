import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'

const OK = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`
const ZEROS = gzipSync(Buffer.alloc(64 * 1024 * 1024))

/** What a hostile or broken server may do once it has a call. Each is called when the first bytes of a call arrive. */
export const ODD_ANSWERS: Readonly<Record<string, (socket: Socket) => void>> = {
  silence: () => {},
  'one byte of the head at a time': (socket) => again(socket, 'K', 'HTTP/1.1 200 O'),
  'one header at a time': (socket) => again(socket, 'a: b\r\n', OK),
  'half a head': (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Le'),
  'endless 100': (socket) => again(socket, 'HTTP/1.1 100 Continue\r\n\r\n'),
  'endless 102': (socket) => again(socket, 'HTTP/1.1 102 Processing\r\n\r\n'),
  'endless 103': (socket) => again(socket, 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'),
  '101': (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
  '101 with an upgrade': (socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
  '101 and a close': (socket) =>
    socket.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n'),
  '200 with an upgrade': (socket) =>
    socket.write('HTTP/1.1 200 OK\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
  'one byte of the body at a time': (socket) => again(socket, ' ', `${OK}content-length: 1000000\r\n\r\n`),
  'one chunk at a time': (socket) => again(socket, '1\r\n \r\n', CHUNKED),
  'half a body': (socket) => socket.write(`${OK}content-length: 10\r\n\r\n{`),
  'a body without an end': (socket) => socket.write(`${OK}\r\n{`),
  'a close at once': (socket) => socket.end(),
  'a reset at once': (socket) => socket.resetAndDestroy(),
  'a close in the head': (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Le'),
  'a close in the body': (socket) => socket.end(`${OK}content-length: 10\r\n\r\n{`),
  'a reset in the body': (socket) =>
    socket.write(`${OK}content-length: 10\r\n\r\n{`, () => socket.resetAndDestroy()),
  'another protocol': (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'),
  'endless headers': (socket) => flood(socket, 'a: b\r\n', OK),
  'an endless header': (socket) => flood(socket, 'a'.repeat(1_000), `${OK}a: `),
  'an endless body': (socket) => flood(socket, ' '.repeat(10_000), `${OK}\r\n`),
  'an endless chunk extension': (socket) => flood(socket, 'a'.repeat(1_000), `${CHUNKED}1;`),
  'endless trailers': (socket) => flood(socket, 'a: b\r\n', `${CHUNKED}0\r\n`),
  'a compressed bomb': (socket) => {
    socket.write(`${OK}content-encoding: gzip\r\ncontent-length: ${ZEROS.length}\r\n\r\n`)
    socket.write(ZEROS)
  },
}

/** A server on 127.0.0.1 that answers every connection in one odd way. */
export async function startOddServer(answer: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    socket.once('data', () => answer(socket)).resume()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

function again(socket: Socket, text: string, first = ''): void {
  socket.write(first)
  const timer = setInterval(() => socket.write(text), 20)
  socket.once('close', () => clearInterval(timer))
}

function flood(socket: Socket, text: string, first: string): void {
  socket.write(first)
  const many = text.repeat(100)
  const write = () => {
    while (!socket.destroyed && socket.write(many));
  }
  socket.on('drain', write)
  write()
}
