import type { Joined } from '@keyferry/contract/joined'
import type { Gauges } from '@keyferry/plumbing/metrics'
import type { RateLimits } from './http/handler.ts'
import type { ModuleHandlers } from './http/handlers.ts'
import type { ProgramCalls } from './http/pipeline.ts'
import type { Limits } from './http/rate-limit.ts'
import type { ApiModule, ModuleParts, StartNote } from './module-parts.ts'
import * as modules from './modules.ts'
import type { AfterAppend } from './storage/audit/appending.ts'
import type { Database } from './storage/base/queries.ts'

type Module = (typeof modules)[keyof typeof modules]

const MODULES = Object.values<ApiModule>(modules)

/** The handlers of all modules; an endpoint of a module without a handler does not compile. */
export function moduleHandlers(parts: ModuleParts): ModuleHandlers {
  const handlers: Joined<ReturnType<Module['handlers']>> = Object.assign(
    {},
    ...MODULES.map((module) => module.handlers(parts)),
  )
  return handlers
}

/** Start what the modules do in the background, until `opened` ends. */
export function startModules(opened: AsyncDisposableStack, parts: ModuleParts): void {
  for (const { start } of MODULES) start(opened, parts)
}

/** What the modules do in the transaction of an append. */
export function afterAppendOf(parts: Parameters<NonNullable<ApiModule['afterAppend']>>[0]): AfterAppend {
  const steps = MODULES.flatMap(({ afterAppend }) => afterAppend?.(parts) ?? [])
  return async (transaction, batches) => {
    for (const step of steps) await step(transaction, batches)
  }
}

export function moduleGauges(database: Database): Gauges {
  return Object.assign({}, ...MODULES.map(({ gauges }) => gauges?.(database)))
}

export function moduleRateLimits(openCount: Limits['openCount']): RateLimits {
  return Object.assign({}, ...MODULES.map(({ rateLimits }) => rateLimits?.(openCount)))
}

/** What the operator needs once the server listens. */
export async function startNotes(parts: ModuleParts): Promise<StartNote[]> {
  const notes = await Promise.all(MODULES.map(async ({ startNote }) => (await startNote?.(parts)) ?? []))
  return notes.flat()
}

/** How programs call with a bearer token; null: no module knows any. */
export function openProgramCalls(opened: AsyncDisposableStack, parts: ModuleParts): ProgramCalls | null {
  return MODULES.flatMap(({ programCalls }) => programCalls?.(opened, parts) ?? [])[0] ?? null
}
