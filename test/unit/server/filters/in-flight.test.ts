import { expect } from 'chai'
import { InFlight, withMaxInFlightLimit } from '../../../../src/server/filters/in-flight.ts'
import { type FilteredRequest, filterContext, gate, rejection, runFilter } from '../../../support/filter-context.ts'

describe('withMaxInFlightLimit', () => {
  const watch = { url: '/api/v1/things?watch=1' }
  const write = { method: 'PUT' }
  const master = { user: { name: 'admin', groups: ['system:masters'] } }

  /** Whether a second request is admitted while one that reads holds the only slot. */
  async function second(request: FilteredRequest): Promise<unknown> {
    const filter = withMaxInFlightLimit(new InFlight(1, 1))
    const held = gate()
    const first = runFilter(filter, filterContext(), () => held.opened)
    const error = await rejection(runFilter(filter, filterContext(request)))
    held.open()
    await first
    return error
  }

  it('throws 429 beyond the limit', async () => expect(await second({})).to.include({ code: 429 }))
  it('counts writes separately from reads', async () => expect(await second(write)).to.equal(undefined))
  it('does not limit system:masters', async () => expect(await second(master)).to.equal(undefined))
  it('does not count long-running requests', async () => expect(await second(watch)).to.equal(undefined))

  it('releases the slot, whatever the result of the request', async () => {
    const inFlight = new InFlight(1, 1)
    const filter = withMaxInFlightLimit(inFlight)
    await runFilter(filter, filterContext(), async () => {
      expect(inFlight.readOnly.current).to.equal(1)
    })
    await rejection(runFilter(filter, filterContext(), () => Promise.reject(new Error('oops'))))
    expect(inFlight.readOnly.current).to.equal(0)
  })
  it('has no limit if it is 0', async () => {
    const filter = withMaxInFlightLimit(new InFlight(0, 0))
    await runFilter(filter, filterContext(), () => runFilter(filter, filterContext()))
  })
})
