import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { Failure } from '../../../lib/calls/failure.ts'
import type { RequestView } from '../request-state.ts'
import { useDepositOffer } from './deposit-offer.tsx'

/** Whether the plan shows a refused approval itself, so that the page shows no refusal. */
function isShownByPlan(code: Failure['code']): boolean | undefined {
  const context = { suggested_bundle_id: 'dev/app', expires_at: '' }
  const asking = { requestId: 'r1', request: { context } } as RequestView
  let isShown: boolean | undefined
  const Page = () => {
    const { onFailure } = useDepositOffer(asking, { workspaceId: null, bundleId: null })
    isShown ??= onFailure?.({ status: 409, code, message: 'No.', details: {} })
    return null
  }
  renderToStaticMarkup(createElement(Page))
  return isShown
}

test('where the library changed, the new plan says so; any other refusal is shown', () => {
  expect(isShownByPlan('plan_changed')).toBe(true)
  expect(isShownByPlan('bundle_full')).toBe(false)
})
