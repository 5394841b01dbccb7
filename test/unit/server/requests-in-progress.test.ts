import { expect } from 'chai'
import { RequestsInProgress } from '../../../src/server/requests-in-progress.ts'
import { filterContext } from '../../support/filter-context.ts'

describe('RequestsInProgress', () => {
  const one = () => filterContext().state.exchange

  it('waits for requests', async () => {
    const requests = new RequestsInProgress()
    const [first, second] = [one(), one()]
    requests.add(first)
    requests.add(second)
    let drained = false
    const draining = requests.drain(60_000).then(() => {
      drained = true
    })
    requests.delete(first)
    await Promise.resolve()
    expect(drained).to.equal(false)
    requests.delete(second)
    await draining
  })
  it('closes requests after the grace period', async () => {
    const requests = new RequestsInProgress()
    const exchange = one()
    requests.add(exchange)
    await requests.drain(1)
    expect(exchange.clientGone).to.equal(true)
  })
  it('aborts long-running requests, and refuses new ones', async () => {
    const requests = new RequestsInProgress()
    const [before, after] = [one(), one()]
    requests.addLongRunning(before)
    await requests.drain(60_000)
    expect(before.isAborted).to.equal(true)
    expect(() => requests.addLongRunning(after)).to.throw('the server is shutting down')
  })
  it('does nothing to requests that are over', async () => {
    const requests = new RequestsInProgress()
    const exchange = one()
    requests.addLongRunning(exchange)
    requests.deleteLongRunning(exchange)
    await requests.drain(60_000)
    expect(exchange.isAborted).to.equal(false)
  })
})
