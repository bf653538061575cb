/** Where the client on this computer takes an approval back: a port of 127.0.0.1, and a path that no other page can
 * guess. */
export type LoopbackPlace = { port: number; token: string }

const FRAGMENT = /^#lb=(\d{1,5})\.([\w-]{43})$/
const MAX_PORT = 65_535

/** The way back that the fragment of the page's address names; null: none. */
export function readFragment(hash: string): LoopbackPlace | null {
  const [, digits = '', token = ''] = FRAGMENT.exec(hash) ?? []
  const port = Number(digits)
  return token !== '' && port > 0 && port <= MAX_PORT ? { port, token } : null
}

const nameOf = (requestId: string) => `keyferry:way-back:${requestId}`

/** The id of the request that the page's address names. */
export function requestOfPage(): string {
  return decodeURIComponent(location.pathname.split('/')[2] ?? '')
}

/** Read the fragment of the page's address and remove it. The tab keeps the way back for a sign-in and for reloads,
 * until the request has ended or the tab is closed. It proves nothing: a web page that links here can write a fragment
 * too. After a return the fragment says how it went (`#released`, `#failed`), and the server knows that better. */
export function takeWayBack(requestId: string): LoopbackPlace | null {
  const { hash } = location
  if (readFragment(hash) !== null) sessionStorage.setItem(nameOf(requestId), hash)
  if (hash !== '') history.replaceState(history.state, '', location.pathname + location.search)
  return readFragment(sessionStorage.getItem(nameOf(requestId)) ?? '')
}

/** Remove the kept way back of a request that has ended. */
export function forgetWayBack(requestId: string): void {
  sessionStorage.removeItem(nameOf(requestId))
}

/** Leave this page with a form that brings the secret to the client. A form is the one way that every browser lets a
 * page reach a program on its own computer, and it keeps the secret out of every address. */
export function returnSecret({ port, token }: LoopbackPlace, secret: string): void {
  const form = document.createElement('form')
  form.method = 'POST'
  form.action = `http://127.0.0.1:${port}/r/${token}`
  form.append(hidden('secret', secret))
  document.body.append(form)
  form.submit()
  form.remove()
}

function hidden(name: string, value: string): HTMLInputElement {
  const field = document.createElement('input')
  field.type = 'hidden'
  field.name = name
  field.value = value
  return field
}
