import { expect } from 'chai'
import { RequestsInProgress } from '../../../src/server/requests-in-progress.ts'
import { filterContext } from '../../support/filter-context.ts'

describe('requests in progress', () => {
  const one = () => filterContext().state.exchange

  it('are waited for', async () => {
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
  it('are cut after the grace', async () => {
    const requests = new RequestsInProgress()
    const exchange = one()
    requests.add(exchange)
    await requests.drain(1)
    expect(exchange.clientGone).to.equal(true)
  })
  it('are ended at once where they are long-running, and no more are begun', async () => {
    const requests = new RequestsInProgress()
    const [before, after] = [one(), one()]
    requests.addLongRunning(before)
    await requests.drain(60_000)
    expect(before.isAborted).to.equal(true)
    expect(() => requests.addLongRunning(after)).to.throw('the server is shutting down')
  })
  it('are left alone where they are over', async () => {
    const requests = new RequestsInProgress()
    const exchange = one()
    requests.addLongRunning(exchange)
    requests.deleteLongRunning(exchange)
    await requests.drain(60_000)
    expect(exchange.isAborted).to.equal(false)
  })
})
