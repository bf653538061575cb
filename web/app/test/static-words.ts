import { CallError } from '@keyferry/contract/client'
import { MutationCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { Virtualizer } from '@tanstack/react-virtual'
import * as React from 'react'
import {
  Children,
  type ComponentProps,
  cloneElement,
  createElement,
  type FunctionComponent,
  isValidElement,
  type ReactElement,
  type ReactNode,
  useState,
} from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { afterAll, beforeAll, expect, vi } from 'vitest'
import { Router } from 'wouter'
import type { Called } from '../lib/calls/call.ts'
import { lineDiff } from '../lib/rules/line-diff.ts'
import { TableRows } from '../ui/drawn-rows.tsx'
import type { IconComponent } from '../ui/icon.tsx'
import * as icons from '../ui/icons.ts'
import { Loaded } from '../ui/loaded.tsx'
import { currentToasts, dismiss } from '../ui/toast-store.ts'
import './addresses.ts'

/*
 * Renders a component to text, without a browser. The test puts the answers of the server into the cache first. It acts
 * as a person while the component renders: React then renders the component again, with its new state.
 */

const AGAIN = 'fetches again:'

const FAILED = { status: 'error', errorUpdateCount: 1, fetchStatus: 'idle' } as const

// The list draws its rows only in a window with a height.
Object.defineProperty(Virtualizer.prototype, 'scrollRect', {
  configurable: true,
  get: () => ({ width: 1, height: 1 }),
  set(_size: unknown) {},
})

/** An endpoint, its input, and its answer or error. */
export type Answered = readonly [name: Called, input: object, answer: unknown]

/** A handler that a component gives to a part. `part` is the name of the part, or the value of another prop, such as its
 * label. `given` are the arguments. */
type Act = readonly [handler: string, part?: unknown, ...given: unknown[]]

/** `is`: the change is pending or has failed when the component renders. `answer`: it has succeeded with this answer.
 * `made`: the answer or the error that follows when a person makes the change. Without `made`, it stays pending. */
type Changed = { readonly is?: 'pending' | Error; readonly made?: unknown; readonly answer?: unknown }

export type State = {
  answered?: readonly Answered[]
  /** What a person does in each component, by its name. */
  acts?: Readonly<Record<string, readonly Act[]>>
  /** The state of the changes of each component, in the order of its hooks. Null: not made. */
  changes?: Readonly<Record<string, readonly (Changed | null)[]>>
  at?: string
}

/** An element. Its props need only the fields that the component reads. */
export function of<Props extends object>(
  component: FunctionComponent<Props>,
  props: object = {},
): ReactElement {
  return createElement(component, props as Props)
}

/** What a person reads in the element, then each call, address and toast, what the undo of a toast does, and what is
 * fetched again. */
export function wordsOf(element: ReactElement, state: State = {}): string {
  const { answered = [], acts = {}, changes = {}, at } = state
  const acting = new Acting(state)
  const { cache: mutationCache, said } = acting.changes
  // Without this, a failed query would load again.
  const client = new QueryClient({
    mutationCache,
    defaultOptions: { queries: { retryOnMount: false, staleTime: Number.POSITIVE_INFINITY } },
  })
  for (const [name, input, answer] of answered) {
    const queryKey = [name, input]
    client.removeQueries({ queryKey, exact: true })
    if (!(answer instanceof Error)) client.setQueryData(queryKey, answer)
    else
      client
        .getQueryCache()
        .build(client, { queryKey })
        .setState({ ...FAILED, error: answer })
  }
  client.invalidateQueries = async ({ queryKey: [name = 'all'] = [] } = {}) => {
    const last = said.at(-1)?.startsWith(AGAIN) ? said.pop() : undefined
    said.push(last === undefined ? `${AGAIN} ${String(name)}` : `${last}, ${String(name)}`)
  }
  const [ssrPath = '/', ssrSearch = ''] = (at ?? '/').split('?')
  const children = createElement(() => Router({ ssrPath, ssrSearch, children: acting.shown(element) }))
  const leaves = (how: string) => (_state: unknown, _title: string, to: string) =>
    void said.push(`goes to ${to}${how}`)
  const assign = (to: string) => void said.push(`loads ${to}`)
  const reload = () => void said.push('loads this page again')
  Object.assign(globalThis, {
    history: { pushState: leaves(''), replaceState: leaves(', in place of this page') },
  })
  // What other tests left is not of this page.
  for (const { id } of currentToasts()) dismiss(id)
  const { location } = globalThis
  Object.assign(globalThis, {
    location: Object.assign(new URL(at ?? location.href, location.href), { assign, reload }),
  })
  const text = textOf(createElement(() => QueryClientProvider({ client, children })))
  for (const { text: toast, tone, undo, id } of currentToasts()) {
    said.push(`“${toast}”${tone === 'problem' ? ' (problem)' : ''}${undo ? ' (undo)' : ''}`)
    dismiss(id)
    if (undo !== undefined) said.push(...requestsOf(undo).map((request) => `undo → ${request}`))
  }
  for (const query of client.getQueryCache().getAll()) {
    const { refetchInterval: every } = query.options as { refetchInterval?: unknown }
    const ms = typeof every === 'function' ? every(query) : every
    if (ms) said.push(`${AGAIN} ${String(query.queryKey[0])}, every ${String(ms)} ms`)
  }
  Object.assign(globalThis, { location })
  Reflect.deleteProperty(globalThis, 'history')
  for (const [name, { length }] of Object.entries(acts))
    if (acting.done.get(name)?.count !== length) throw new Error(`Not all acts were possible in ${name}`)
  for (const name of Object.keys(changes))
    if (!acting.drawn.has(name)) throw new Error(`${name} with its changes was not drawn`)
  return [text, ...said].join('\n')
}

const withLists = (_: string, value: unknown) =>
  value instanceof Set || value instanceof Map ? [...value] : value

/** What a component hands to this property while a person acts in it: a line for each call. */
export function handedTo<Props extends object>(
  handler: string,
  [component, props]: readonly [FunctionComponent<Props>, object],
  state: State,
): string {
  const calls: string[] = []
  const call = (...given: unknown[]) => void calls.push(JSON.stringify(given, withLists).slice(1, -1))
  wordsOf(of(component, { ...props, [handler]: call }), state)
  return calls.join('\n')
}

/** What a part shows while this browser keeps a text under a name that begins so. */
export function whileKept(name: string, text: string, shown: () => string): string {
  vi.stubGlobal('localStorage', { getItem: (asked: string) => (asked.startsWith(name) ? text : null) })
  try {
    return shown()
  } finally {
    Reflect.deleteProperty(globalThis, 'localStorage')
  }
}

/** Changes that end as the test says. Nothing is sent: the first request of each is said.
 * @param next the state of the change that the component declares next */
function endingChanges(next: () => Changed | null) {
  const said: string[] = []
  const changes = new WeakMap<object, Changed>()
  const cache = new MutationCache()
  const create = cache.build.bind(cache)
  cache.build = (client, options) => {
    const mutation = create(client, options)
    let observed: Parameters<typeof mutation.addObserver>[0] | null = null
    const end = (status: string, rest: object) =>
      Object.assign(mutation, { state: { ...mutation.state, status, ...rest } })
    mutation.addObserver = (observer) => {
      observed = observer
    }
    mutation.execute = (variables) => {
      const { is, made, answer } = (observed && changes.get(observed)) ?? {}
      if (is === 'pending') end(is, { variables })
      else if (is !== undefined) end('error', { error: is })
      else if (answer !== undefined) end('success', { data: answer })
      else {
        const given = JSON.stringify(variables) ?? ''
        // Nothing if it does something else first.
        const [request = ''] = requestsOf(() => mutation.options.mutationFn?.(variables, {} as never))
        const isInRequest = request.includes(given.slice(1, -1))
        said.push(`→ ${isInRequest ? request : `${given} ${request}`}`.trim())
        if (made instanceof Error) end('error', { error: made, variables })
        else end(made === undefined ? 'pending' : 'success', { data: made, variables })
        const { status: type, data, error } = mutation.state
        const { onSuccess, onError } = mutation.options
        if (error !== null) void onError?.(error, variables, undefined, {} as never)
        else if (data !== undefined) void onSuccess?.(data, variables, undefined as never, {} as never)
        observed?.onMutationUpdate({ type, data, error } as never)
      }
      return ended(made) as never
    }
    return mutation
  }
  cache.subscribe((event) => {
    if (event.type !== 'observerOptionsUpdated') return
    const { observer } = event
    const { made, ...before } = next() ?? {}
    observer.hasListeners = () => true
    changes.set(observer, before)
    // A change that was made before the render sets the state of its observer now.
    if (Object.keys(before).length > 0) void observer.mutate(undefined)
    changes.set(observer, { made })
  })
  return { cache, said }
}

/** The requests that something makes at once. */
function requestsOf(run: () => unknown): string[] {
  const requests: string[] = []
  const fetchNothing = (path: string, { method = 'GET', body = '' }: { method?: string; body?: string }) => {
    requests.push(`${method} ${path} ${body}`.trim())
    return ended(undefined)
  }
  const { fetch } = globalThis
  Object.assign(globalThis, { fetch: fetchNothing })
  try {
    const running = run()
    if (running instanceof Promise) running.catch(() => undefined)
  } finally {
    Object.assign(globalThis, { fetch })
  }
  return requests
}

/** A promise that calls its callbacks at once, so that this rendering shows the result. With undefined, it never ends. */
function ended(made: unknown): object {
  const followed = (follow?: (answer: unknown) => void, fail?: (error: unknown) => void) => {
    if (made !== undefined) (made instanceof Error ? fail : follow)?.(made)
    return ended(undefined)
  }
  return Object.fromEntries([
    // oxlint-disable-next-line unicorn/no-thenable -- it replaces a promise
    ['then', followed],
    ['catch', () => ended(made instanceof Error ? undefined : made)],
  ])
}

const LAZY = Symbol.for('react.lazy')

class Acting {
  readonly changes = endingChanges(() => this.#changes.shift() ?? null)
  readonly done = new Map<string, { by: symbol; count: number }>()
  readonly drawn = new Set<string>()
  readonly #state: State
  readonly #shown = new Map<FunctionComponent, FunctionComponent>()
  #changes: (Changed | null)[] = []

  constructor(state: State) {
    this.#state = state
  }

  /** Wraps each component in the node, so that the test can act in it. */
  shown(node: ReactNode): ReactNode {
    if (Array.isArray(node)) return Children.toArray(node).map((each) => this.shown(each))
    if (!isValidElement<{ children?: ReactNode }>(node)) return node
    const { type, props, key } = node
    if (typeof type === 'function') {
      return createElement(this.#acted(type as FunctionComponent), { ...props, ...(key !== null && { key }) })
    }
    // A lazy part has its own test.
    if (Object(type).$$typeof === LAZY) return createElement('p', {}, '(a part that loads later)')
    const { children } = props
    if (children === undefined || typeof children === 'function') return node
    return cloneElement(node, {}, ...Children.toArray(children).map((each) => this.shown(each)))
  }

  #acted(type: FunctionComponent): FunctionComponent {
    if ('prototype' in type && Object(type.prototype).isReactComponent) return type
    const known = this.#shown.get(type)
    if (known) return known
    const { name } = type
    const component = (props: object) => {
      const [count, setCount] = useState(0)
      const [self] = useState(Symbol)
      readStores()
      if (count === 0) this.#changes = [...(this.#state.changes?.[name] ?? [])]
      const node = type(props)
      this.#changes = []
      const act = this.#state.acts?.[name]?.[count]
      // If a component is drawn several times, the test acts in the first one where the act is possible.
      const isActor = (this.done.get(name)?.by ?? self) === self
      this.drawn.add(name)
      if (act !== undefined && isActor && this.#do(act, node as ReactNode)) {
        this.done.set(name, { by: self, count: count + 1 })
        setCount(count + 1)
      }
      return this.shown(node as ReactNode)
    }
    this.#shown.set(type, component)
    return component
  }

  #do([handler, part, ...given]: Act, node: ReactNode): boolean {
    const found = partsIn(node).find(({ name, props: { [handler]: call, ...others } }) => {
      const isPart = part === undefined || name === part || Object.values(others).includes(part)
      return typeof call === 'function' && isPart
    })
    const call = found?.props[handler]
    if (typeof call === 'function') call(...given)
    return found !== undefined
  }
}

// On a server, React requires a server snapshot of each store. The app has none, because no server renders it.
function readStores(): void {
  const { H: hooks } = (React as unknown as Record<string, { H: object }>)[HOOKS] ?? {}
  Object.assign(hooks ?? {}, { useSyncExternalStore: stored })
}

const stored = (_: unknown, read: () => unknown, readOnServer = read) => readOnServer()

const HOOKS = '__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE'

type Part = { name: string; props: Record<string, unknown> }

/** All elements in a node, including those in props. */
function partsIn(node: unknown): Part[] {
  if (Array.isArray(node)) return node.flatMap(partsIn)
  if (!isValidElement<Part['props']>(node)) return []
  const { type, props } = node
  const name = typeof type === 'string' ? type : type.name
  return [{ name, props }, ...[shownBy(type, props as never), ...Object.values(props)].flatMap(partsIn)]
}

/** What Loaded and TableRows draw with a function: the loaded answer, or the rows. */
function shownBy(type: unknown, props: ComponentProps<typeof Loaded> & ComponentProps<typeof TableRows>) {
  const { children } = props
  if (type === TableRows) return props.drawn.map(({ index }) => children(index))
  return type === Loaded && props.query.data !== undefined ? children(props.query.data as never) : null
}

/** An error response of the server. */
export const refusal = (
  status: number,
  code: string,
  message: string,
  details: Record<string, unknown> = {},
) => new CallError({ status, code, message, details, retryAfterSeconds: null })

export const FORBIDDEN = refusal(403, 'forbidden', 'Forbidden')

const BLOCK = /^(a|button|dialog|div|dt|h\d|input|label|li|option|p|section|select|summary|text|textarea|tr)$/
const SAID =
  / (href|target|role|aria-(?:busy|checked|disabled|current|expanded|invalid|label|pressed|selected)|checked|disabled|open|placeholder|readOnly|required|selected|title|value|maxLength|min|max|x|y|cx|cy|step|rows|inputMode|pattern|colSpan|tabindex(?=="0)|style(?=="[^"]*%)|data-first-focus)="([^"]*)"/g
// Classes that carry a meaning: colours, a line above a part of a menu, text for screen readers only, and what is not
// seen but keeps its place.
const MEANT =
  /(?<![\w:-])(?:sr-only|invisible|(?<=mt-1 )border-t|border-accent(?= text-ink)|line-through|env-\w+|(?:text|bg|fill|stroke)-(?:accent|caution|danger|good)[\w-]*)/g
const LETTERS: Readonly<Record<string, string>> = { amp: '&', gt: '>', lt: '<', quot: '"', '#x27': "'" }

const shapesOf = (icon: IconComponent) =>
  renderToStaticMarkup(createElement(icon)).replace(/^<svg[^>]*>|<\/svg>$/g, '')

const ICONS = new Map(Object.entries(icons).map(([name, icon]) => [shapesOf(icon), name]))

function iconOf(_: string, attributes = '', shapes = ''): string {
  const name = ICONS.get(shapes)
  return name === undefined ? '' : ` [${[name, saidBy(attributes)].join(' ').trim()}] `
}

/** The text of an element, with the attributes that people notice. */
function textOf(element: ReactElement): string {
  const html = renderToStaticMarkup(element)
  const [outOfOrder] = / tabindex="[1-9]\d*"/i.exec(html) ?? []
  if (outOfOrder !== undefined) throw new Error(`Tab comes to an element out of its order:${outOfOrder}`)
  // While a dialog is open, a person can use nothing else.
  const shown = /<dialog.*<\/dialog>/s.exec(html)?.[0] ?? html
  return shown
    .replaceAll(/<svg([^>]*aria-hidden="true"[^>]*)>(.*?)<\/svg>|<wbr\/>/g, iconOf)
    .replaceAll(/<(\/?)(\w+)([^>]*)>/g, (_, end: string, tag: string, attributes: string) => {
      if (end === '/') return ' '
      const isChecked = tag === 'form' && !attributes.includes(' noValidate')
      return (
        (BLOCK.test(tag) ? '\n' : ' ') + saidBy(attributes) + (isChecked ? '(its fields are checked) ' : '')
      )
    })
    .replaceAll(/&(amp|gt|lt|quot|#x27);/g, (_, letter: string) => LETTERS[letter] ?? '')
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(/\s*\n\s*/g, '\n')
    .trim()
}

function saidBy(attributes: string): string {
  const [, classes = ''] = / class="([^"]*)"/.exec(attributes) ?? []
  const said = new Map([...attributes.matchAll(SAID)].map(([, name = '', value = '']) => [name, value]))
  // The tooltip of an icon repeats its label.
  if (said.get('title') === said.get('aria-label')) said.delete('title')
  const all = [...said].map(([name, value]) => (value === '' || value === 'true' ? name : `${name}=${value}`))
  const each = [...all, ...new Set(classes.match(MEANT))]
  return each.length === 0 ? '' : `(${each.join(', ')}) `
}

/** Compares named texts with the file beside the test. Each text is written as its difference from the text before it.
 * After an intended change, run the test with -u and read the difference. */
export async function expectWords(test: string, texts: Readonly<Record<string, string>>): Promise<void> {
  const all = Object.values(texts)
  const parts = Object.keys(texts).map(
    (name, at) => `# ${name}\n${changed(all[at - 1] ?? '', all[at] ?? '')}\n`,
  )
  await expect(parts.join('\n')).toMatchFileSnapshot(test.replace(/\.test\.ts$/, '.txt'))
}

const SHORTEST = 4

function changed(before: string, text: string): string {
  const runs: { kind: string; lines: string[] }[] = []
  for (const { kind, text: line } of lineDiff(before, text)) {
    if (runs.at(-1)?.kind === kind) runs.at(-1)?.lines.push(line)
    else runs.push({ kind, lines: [line] })
  }
  const isLong = ({ kind, lines }: (typeof runs)[number]) => kind === 'same' && lines.length >= SHORTEST
  if (!runs.some(isLong)) return text
  return runs
    .flatMap((run) => {
      if (run.kind === 'gone') return run.lines.map((line) => `- ${line}`)
      return isLong(run) ? [`… ${run.lines.length} lines`] : run.lines
    })
    .join('\n')
}

/** Gives the tests of a file this address and time. Resets them at the end, because test files share their globals. */
export function onPage(address = 'https://keyferry.example/', now = '2026-06-01T12:00:00.000Z'): void {
  beforeAll(() => {
    vi.useFakeTimers({ now: Date.parse(now), toFake: ['Date'] })
    vi.stubEnv('TZ', 'UTC')
    for (const name of ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString'] as const) {
      const write = Date.prototype[name]
      vi.spyOn(Date.prototype, name).mockImplementation(function (this: Date, _, options) {
        return write.call(this, 'en-US', options)
      })
    }
    const location = new URL(address)
    const kept = new Map<string, string>()
    vi.stubGlobal('location', location)
    vi.stubGlobal('window', { location })
    vi.stubGlobal('sessionStorage', {
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, text: string) => void kept.set(name, text),
    })
  })
  afterAll(() => {
    vi.restoreAllMocks()
    vi.unstubAllEnvs()
    vi.unstubAllGlobals()
    vi.useRealTimers()
  })
}
