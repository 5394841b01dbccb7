import { expect } from 'chai'
import { type EstimateOptions, estimateWork, makesEvents } from '../../../src/flow/work-estimate.ts'
import { requestOf } from '../../support/flow.ts'

const OPTIONS: EstimateOptions = { countOf: () => undefined, watchList: true, consistentReadsFromCache: false, countsLegacyWatches: false }

describe('estimateWork', () => {
  /** `stored`: as of `countOf`. */
  const LISTS: [query: string, stored: number | 'stale' | undefined, most: number, seats: number][] = [
    ['limit=399&resourceVersion=1', 699, 10, 8],
    ['limit=399&resourceVersion=1', 299, 10, 6],
    ['resourceVersion=1', 699, 10, 7],
    ['limit=399', 699, 10, 8],
    ['', 399, 10, 8],
    ['', undefined, 10, 1],
    ['continue=token&limit=399', 699, 10, 8],
    ['limit=299&resourceVersion=0', 399, 10, 4],
    ['resourceVersion=0', 799, 0, 8],
    ['resourceVersion=1&resourceVersionMatch=Exact&limit=399', 699, 10, 8],
    ['resourceVersion=1&resourceVersionMatch=NotOlderThan', 799, 10, 8],
    ['resourceVersion=1', 1999, 10, 10],
    ['resourceVersion=1', 1999, 5, 5],
    ['resourceVersion=1', 1999, 50, 10],
    ['resourceVersion=0&limit=799', undefined, 10, 1],
    ['limit=499', 'stale', 10, 10],
    ['limit=499', undefined, 10, 1],
    ['limit=many', 1, 10, 10],
    ['timeoutSeconds=long', 1, 7, 7],
    ['limit=100&labelSelector=a', 499, 10, 6],
    ['limit=100&fieldSelector=a%3Db', 499, 10, 6],
    ['resourceVersion=0', 0, 10, 1],
    ['resourceVersion=1&resourceVersionMatch=Other', 299, 10, 6],
  ]
  for (const [query, stored, most, initialSeats] of LISTS)
    it(`a list ?${query} of ${stored}, at most ${most}: ${initialSeats}`, () => {
      const request = requestOf('alice', { verb: 'list', group: 'foo.bar', resource: 'events' }, query)
      expect(estimateWork(request, 0, most, { ...OPTIONS, countOf: () => stored })).to.deep.equal({ initialSeats, finalSeats: 0, additionalLatencyMs: 0 })
    })

  it('reads lists of the latest state from memory where the gate is on', () => {
    const options = { ...OPTIONS, countOf: () => 399, consistentReadsFromCache: true }
    expect(estimateWork(requestOf('alice', { verb: 'list', resource: 'events' }), 0, 10, options).initialSeats).to.equal(4)
  })
  it('counts a list of one object as one seat', () => {
    const options = { ...OPTIONS, countOf: () => 799 }
    expect(estimateWork(requestOf('alice', { verb: 'list', resource: 'events', name: 'x' }, 'limit=500'), 0, 10, options).initialSeats).to.equal(1)
  })

  const WATCHES: [query: string, watchList: boolean, seats: number][] = [
    ['watch=true', true, 1],
    ['watch=true&sendInitialEvents=false', true, 1],
    ['watch=true&sendInitialEvents=true', true, 8],
    ['watch=true&sendInitialEvents=true', false, 1],
  ]
  for (const [query, watchList, seats] of WATCHES)
    it(`a watch ?${query}${watchList ? '' : ' without the gate'}: ${seats}`, () => {
      const options = { ...OPTIONS, countOf: () => 799, watchList }
      expect(estimateWork(requestOf('alice', { verb: 'watch', resource: 'events' }, query), 0, 0, options).initialSeats).to.equal(seats)
    })

  const LEGACY: [query: string, since135: number, before: number][] = [
    ['watch=true', 8, 1],
    ['watch=true&resourceVersion=0', 8, 1],
    ['watch=true&resourceVersion=1', 1, 1],
    ['watch=true&resourceVersion=1&sendInitialEvents=true', 8, 8],
  ]
  for (const [query, since135, before] of LEGACY)
    it(`a watch ?${query}: ${since135} from 1.35 on`, () => {
      const seats = (countsLegacyWatches: boolean) =>
        estimateWork(requestOf('alice', { verb: 'watch', resource: 'events' }, query), 0, 0, { ...OPTIONS, countOf: () => 799, countsLegacyWatches })
          .initialSeats
      expect([seats(true), seats(false)]).to.deep.equal([since135, before])
    })

  const WRITES: [watches: number, most: number, finalSeats: number, latency: number][] = [
    [0, 10, 0, 0],
    [5, 10, 0, 0],
    [29, 10, 3, 5],
    [199, 10, 10, 10],
    [100, 5, 5, 10],
    [1000, 10, 10, 50],
  ]
  for (const [watches, most, finalSeats, additionalLatencyMs] of WRITES)
    for (const verb of ['create', 'update', 'patch', 'delete'])
      it(`${verb} with ${watches} watches, at most ${most}: ${finalSeats} for ${additionalLatencyMs} ms`, () =>
        expect(estimateWork(requestOf('alice', { verb, resource: 'foos' }), watches, most, OPTIONS)).to.deep.equal({
          initialSeats: 1,
          finalSeats,
          additionalLatencyMs,
        }))

  it('knows what makes events', () => {
    expect(makesEvents(requestOf('alice', { verb: 'create', resource: 'serviceaccounts' }).info)).to.equal(true)
    expect(makesEvents(requestOf('alice', { verb: 'create', resource: 'serviceaccounts', subresource: 'token' }).info)).to.equal(false)
    expect(makesEvents(requestOf('alice', { verb: 'get', resource: 'foos' }).info)).to.equal(false)
  })
})
