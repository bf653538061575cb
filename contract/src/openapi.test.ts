import { expect, test } from 'vitest'
import type { Endpoint } from './endpoint.ts'
import { endpoints } from './endpoints.ts'
import { openApiDocument } from './openapi.ts'

test('every endpoint of the table is an operation with an example of each body', () => {
  const document = JSON.parse(JSON.stringify(openApiDocument('0.0.0')))
  for (const [name, row] of Object.entries<Endpoint>(endpoints)) {
    const operation = document.paths[row.path][row.method.toLowerCase()]
    expect(operation.operationId).toBe(name)
    const bodies = [operation.requestBody, ...Object.values(operation.responses)].filter(Boolean)
    for (const { content = {} } of bodies) {
      for (const media of Object.values(content)) expect(media, name).toHaveProperty('example')
    }
  }
})

test('every operation has one of the described tags', () => {
  const document = JSON.parse(JSON.stringify(openApiDocument('0.0.0')))
  const described = document.tags.map(({ name }: { name: string }) => name)
  for (const [name, row] of Object.entries<Endpoint>(endpoints)) {
    const [tag] = document.paths[row.path][row.method.toLowerCase()].tags
    expect(described, name).toContain(tag)
  }
})
