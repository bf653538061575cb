import { z } from 'zod'
import type { Endpoint } from './endpoint.ts'
import { PathPart } from './schemas/text.ts'

/** The schema of a row's path parameters: its own, or one text for each name in braces; undefined without any. */
export function paramsOf({ params, path }: Endpoint): z.ZodType<object> | undefined {
  const names = [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name = '']) => name)
  if (params !== undefined || names.length === 0) return params
  return z.object(Object.fromEntries(names.map((name) => [name, PathPart(name)])))
}
