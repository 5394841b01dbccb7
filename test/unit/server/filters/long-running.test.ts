import { expect } from 'chai'
import type { NumberChild } from '../../../../src/lib/metrics.ts'
import { withLongRunning } from '../../../../src/server/filters/long-running.ts'
import { RequestsInProgress } from '../../../../src/server/requests-in-progress.ts'
import { filterContext, gate, rejection, runFilter } from '../../../support/filter-context.ts'

describe('withLongRunning', () => {
  const watch = () => filterContext({ url: '/api/v1/things?watch=1' })
  let gauge: NumberChild
  let requests: RequestsInProgress
  let filter: ReturnType<typeof withLongRunning>
  beforeEach(() => {
    gauge = { value: 0 }
    requests = new RequestsInProgress()
    filter = withLongRunning(requests, { running: () => gauge })
  })

  it('counts a watch while it is open', async () => {
    await runFilter(filter, watch(), async () => {
      expect(gauge.value).to.equal(1)
    })
    expect(gauge.value).to.equal(0)
  })
  it('stops counting a watch that fails', async () => {
    await rejection(runFilter(filter, watch(), () => Promise.reject(new Error('oops'))))
    expect(gauge.value).to.equal(0)
  })
  it('aborts a watch at shutdown, and refuses new ones', async () => {
    const ctx = watch()
    const held = gate()
    const open = runFilter(filter, ctx, () => held.opened)
    await requests.drain(60_000)
    expect(ctx.state.exchange.isAborted).to.equal(true)
    expect(ctx.state.exchange.signal.aborted).to.equal(true)
    expect(await rejection(runFilter(filter, watch()))).to.include({ code: 503 })
    held.open()
    await open
  })
  it('does not affect other requests, even at shutdown', async () => {
    await requests.drain(60_000)
    let passed = false
    await runFilter(filter, filterContext(), async () => {
      passed = true
    })
    expect([passed, gauge.value]).to.deep.equal([true, 0])
  })
})
