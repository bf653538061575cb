import { requireMayReadBundle } from '../domain/approvals/reveal-rules.ts'
import type { BundleEntry } from '../domain/library/bundle-entry.ts'
import { envTextOf, exportBundle, exportedEntry, noteExport } from '../domain/library/export.ts'
import { type Handlers, Reply } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'
import { requireRevealing } from './keys.ts'
import { jsonArray, readEntries } from './list-reply.ts'

export function exportHandlers({ stores, clock, devAllowPlaintext, requestParts }: HandlerParts) {
  return {
    async exportBundle({ caller, params, query: { format, reveal } }) {
      const isRevealed = reveal === '1'
      if (isRevealed) {
        requireRevealing(devAllowPlaintext)
        await requireMayReadBundle(requestParts, caller, params.bundle_id)
      }
      const exported = { bundleId: params.bundle_id, format, values: isRevealed ? 'all' : 'public' } as const
      const groups = await exportBundle(stores, caller, exported)
      await noteExport({ ...stores, clock }, caller, exported)
      return format === 'env' ? envReply(groups) : jsonReply(groups)
    },
  } satisfies Partial<Handlers>
}

type Groups = AsyncIterable<readonly BundleEntry[]>
type ExportEntry = ReturnType<typeof exportedEntry>

async function envReply(groups: Groups) {
  const read = await readEntries(groups, exportedEntry)
  if ('entries' in read) return envTextOf(read.entries)
  return new Reply({ stream: envTexts(read.chunks), isText: true })
}

async function* envTexts(chunks: AsyncIterable<readonly ExportEntry[]>): AsyncGenerator<string> {
  for await (const chunk of chunks) yield envTextOf(chunk)
}

// Written entry by entry, because in an object `__proto__` would not be a name like any other.
const write = ([name, value]: ExportEntry) => `${JSON.stringify(name)}:${JSON.stringify(value)}`

async function jsonReply(groups: Groups) {
  const read = await readEntries(groups, exportedEntry)
  if ('entries' in read) return flatObject(read.entries)
  return new Reply({ stream: jsonArray(read.chunks, { open: '{', close: '}', write }) })
}

// Without a prototype, so that every allowed key name works, `__proto__` too.
function flatObject(exported: Iterable<ExportEntry>): Record<string, string> {
  const object: Record<string, string> = Object.create(null)
  for (const [name, value] of exported) object[name] = value
  return object
}
