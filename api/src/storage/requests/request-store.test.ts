import { describe } from 'vitest'
import { databases } from '../../../test/api.ts'
import { openRequestNodes } from '../../../test/request-nodes.ts'
import { depositContract } from './deposit.contract.ts'
import { racesContract } from './races.contract.ts'
import { releaseContract } from './release.contract.ts'
import { requestStoreContract } from './request-store.contract.ts'

describe.each(databases)('requests in %s', (kind) => {
  const open = () => openRequestNodes(kind)
  requestStoreContract(kind, open)
  releaseContract(kind, open)
  depositContract(kind, open)
  racesContract(kind, open)
})
