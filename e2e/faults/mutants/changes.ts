import { type BlockStatement, type Node, parseSync, Visitor } from 'oxc-parser'

/** One small fault that a file could have: `before`, at `start`, becomes `after`. */
export type Change = {
  readonly kind: string
  readonly start: number
  readonly before: string
  readonly after: string
}

type Span = { readonly start: number; readonly end: number }

/** What could be wrong in a file, and its functions: the bodies in which a statement can be added. */
export type Parsed = { readonly changes: readonly Change[]; readonly bodies: readonly Span[] }

const SWAPPED: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '&&': '||',
  '||': '&&',
  '-': '+',
  '*': '/',
}

// Nobody sees one pixel more.
const SIZES = new Set(['cx', 'cy', 'dx', 'dy', 'height', 'r', 'rx', 'size', 'strokeWidth', 'width', 'x', 'y'])
const PIXELS = /_PX$/

// Nor one letter more of a long text.
const SHORTENING = /^(printable|shown|visibleText)$/

// Swapping their arguments changes nothing.
const SYMMETRIC = /^(classNames|max|min|isDeepStrictEqual|timingSafeEqual|(is|are)(Same|Equal)\w*)$/

// Examples of the document of the API, and a listener of a signal, which aborts once anyway.
const UNSEEN = /^(examples|once)$/

// They read one row, with or without a limit.
const FIRST = /^executeTakeFirst/

const CLAUSES = new Set(['where', 'whereRef', 'having', 'filter', 'limit', 'orderBy'])

// Class names of the browser app have several words, too. Its messages begin with a capital letter.
const MESSAGE = /^[A-Z][\w’']* \S/
const PHRASE = /^[A-Za-z][\w’']* [a-z]+ \S/

/** Find all changes of a source file. */
export function parseChanges(file: string, source: string): Parsed {
  const changes: Change[] = []
  const unseen: Span[] = []
  const sizes: Span[] = []
  const bodies: Span[] = []
  const change = (kind: string, { start, end }: Span, after: string) =>
    changes.push({ kind, start, before: source.slice(start, end), after })
  const isMessage = (text: string) => (file.startsWith('web/app/') ? MESSAGE : PHRASE).test(text)

  const operator = (left: Span, word: string) => {
    const swapped = SWAPPED[word]
    const start = source.indexOf(word, left.end)
    if (swapped) change('operator', { start, end: start + word.length }, swapped)
  }
  const entries = (nodes: readonly (Span | null)[]) => {
    for (const [index, node] of nodes.entries()) {
      const [next, last] = [nodes[index + 1], nodes[index - 1]]
      if (node && next) change('entry', { start: node.start, end: next.start }, '')
      else if (node && last) change('entry', { start: last.end, end: node.end }, '')
    }
  }
  const returns = (body: BlockStatement) => {
    const [first] = body.body
    bodies.push(body)
    if (first && first.type !== 'ReturnStatement')
      change('early return', { start: first.start, end: first.start }, 'return; ')
  }
  const typed = (node: Node) => unseen.push(node)

  new Visitor({
    TSTypeAnnotation: typed,
    TSTypeAliasDeclaration: typed,
    TSInterfaceDeclaration: typed,
    TSTypeParameterInstantiation: typed,
    TSTypeParameterDeclaration: typed,
    TSUnionType: typed,
    TSLiteralType: typed,
    ImportDeclaration: typed,
    BinaryExpression: ({ left, operator: word }) => {
      operator(left, word)
    },
    LogicalExpression: ({ left, right, operator: word }) => {
      operator(left, word)
      if (word === '??' && !isLookup(left)) change('fallback', { start: left.end, end: right.end }, '')
    },
    IfStatement: ({ test }) => {
      change('condition', test, 'true')
      change('condition', test, 'false')
    },
    ConditionalExpression: (node) => {
      const { consequent: yes, alternate: no } = node
      const between = source.slice(yes.end, no.start)
      const swapped = source.slice(no.start, no.end) + between + source.slice(yes.start, yes.end)
      change('branches', { start: yes.start, end: no.end }, swapped)
      if (isSign(yes) && isSign(no)) sizes.push(yes, no)
    },
    ExpressionStatement: (node) => {
      const { expression } = node
      const called = expression.type === 'AwaitExpression' ? expression.argument : expression
      if (called.type === 'CallExpression' && called.callee.type !== 'Super') change('call', node, ';')
    },
    CallExpression: ({ callee, arguments: [first, second], end }) => {
      if (SHORTENING.test(nameOf(callee)) && second) sizes.push(second)
      if (callee.type === 'MemberExpression') {
        if (CLAUSES.has(nameOf(callee))) change('clause', { start: callee.object.end, end }, '')
        if (FIRST.test(nameOf(callee))) unseen.push(...limitOf(callee.object))
      }
      if (!first || !second || first.type !== second.type || !isSimple(first)) return
      if (SYMMETRIC.test(nameOf(callee))) return
      const [one, two] = [first, second].map((node) => source.slice(node.start, node.end))
      const between = source.slice(first.end, second.start)
      if (one !== two) change('arguments', { start: first.start, end: second.end }, `${two}${between}${one}`)
    },
    ArrayExpression: ({ elements }) => entries(elements),
    ObjectExpression: ({ properties }) => entries(properties),
    Literal: (node) => {
      if (typeof node.value === 'boolean') change('truth', node, String(!node.value))
      if (typeof node.value === 'number') change('number', node, String(raised(node.value)))
      if (typeof node.value === 'string' && isMessage(node.value)) change('message', node, "''")
    },
    JSXAttribute: (node) => {
      if (node.name.type === 'JSXIdentifier' && SIZES.has(node.name.name)) sizes.push(node)
    },
    VariableDeclarator: (node) => {
      if (node.id.type === 'Identifier' && PIXELS.test(node.id.name)) sizes.push(node)
    },
    Property: (node) => {
      if (UNSEEN.test(nameOf(node.key))) unseen.push(node.value)
    },
    JSXText: (node) => {
      const text = node.value.trim()
      const start = source.indexOf(text, node.start)
      if (isMessage(text)) change('message', { start, end: start + text.length }, '')
    },
    FunctionDeclaration: ({ body }) => body && returns(body),
    FunctionExpression: ({ body }) => body && returns(body),
    ArrowFunctionExpression: ({ body }) => {
      if (body.type === 'BlockStatement') returns(body)
      else bodies.push(body)
    },
  }).visit(parseSync(file, source).program)

  const isIn = (spans: readonly Span[], at: number) => spans.some(({ start, end }) => start <= at && at < end)
  const isFault = ({ kind, start }: Change) =>
    !isIn(unseen, start) && !(kind === 'number' && isIn(sizes, start))
  return { changes: changes.filter(isFault), bodies }
}

function nameOf(node: Node): string {
  if (node.type === 'Identifier') return node.name
  return node.type === 'MemberExpression' ? nameOf(node.property) : ''
}

const isSign = (node: Node): boolean =>
  node.type === 'UnaryExpression' ? isSign(node.argument) : node.type === 'Literal' && node.value === 1

const limitOf = (node: Node): Span[] =>
  node.type === 'CallExpression' && nameOf(node.callee) === 'limit'
    ? [{ start: node.callee.end - 'limit'.length - 1, end: node.end }]
    : []

// What is looked up in a list or a map needs a fallback for the type checker, mostly for what cannot be missing.
const isLookup = (node: Node): boolean => {
  if (node.type === 'ChainExpression') return isLookup(node.expression)
  if (node.type === 'MemberExpression') return node.computed || isLookup(node.object)
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return false
  const { property } = node.callee
  return property.type === 'Identifier' && LOOKUPS.has(property.name)
}

const LOOKUPS = new Set(['at', 'exec', 'find', 'get', 'match', 'pop', 'shift'])

// One more is no fault in a large number.
const raised = (value: number) => (value < 100 ? value + 1 : value * 2)

const isSimple = ({ type }: Node) =>
  type === 'Identifier' || type === 'Literal' || type === 'MemberExpression'

export function changed(source: string, { start, before, after }: Change): string {
  return source.slice(0, start) + after + source.slice(start + before.length)
}
