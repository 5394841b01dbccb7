import { expect } from 'chai'
import { type EstimateOptions, estimateWork, makesEvents } from '../../../src/flow/work-estimate.ts'
import { requestOf } from '../../support/flow.ts'

const OPTIONS: EstimateOptions = { countOf: () => undefined, watchList: true, consistentReadsFromCache: false, countsLegacyWatches: false }

describe('estimateWork', () => {
  /** `stored`: result of `countOf`. */
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
    it(`estimates a list ?${query} of ${stored} with a maximum of ${most}: ${initialSeats}`, () => {
      const request = requestOf('alice', { verb: 'list', group: 'foo.bar', resource: 'events' }, query)
      expect(estimateWork(request, 0, most, { ...OPTIONS, countOf: () => stored })).to.deep.equal({
        initialSeats,
        finalSeats: 0,
        additionalLatencyMs: 0,
      })
    })

  // Cases: k8s.io/apiserver 1.34, pkg/util/flowcontrol/request/width_test.go.
  const BY_SIZE: [
    query: string,
    stored: number | 'stale' | undefined,
    bytes: number,
    most: number,
    seats: number,
    verb?: 'list' | 'watch',
    name?: string,
  ][] = [
    ['limit=invalid', 799, 10_000, 100, 100],
    ['limit=399&resourceVersion=1', 699, 10_000, 100, 40],
    ['resourceVersion=1', 699, 10_000, 100, 10],
    ['resourceVersion=1', 69, 10_000, 100, 7],
    ['limit=399', 699, 10_000, 100, 40],
    ['', 399, 10_000, 100, 40],
    ['', undefined, 0, 100, 1],
    ['continue=token&limit=399', 699, 10_000, 100, 40],
    ['limit=299&resourceVersion=0', 399, 10_000, 100, 10],
    ['limit=20&resourceVersion=0', 399, 10_000, 100, 2],
    ['resourceVersion=0', 799, 10_000, 100, 10],
    ['resourceVersion=0', 79, 10_000, 100, 8],
    ['resourceVersion=1&resourceVersionMatch=Exact&limit=399', 699, 10_000, 100, 40],
    ['resourceVersion=1&resourceVersionMatch=NotOlderThan', 799, 10_000, 100, 10],
    ['resourceVersion=1&resourceVersionMatch=NotOlderThan', 79, 10_000, 100, 8],
    ['resourceVersion=1&resourceVersionMatch=Exact', 5000, 10_000, 20, 20],
    ['resourceVersionMatch=foo', 200, 10_000, 100, 20],
    ['resourceVersion=foo&resourceVersionMatch=Exact&limit=399', 699, 10_000, 100, 40],
    ['', 'stale', 1, 100, 100],
    ['', 1, 0, 100, 15],
    ['', 0, 0, 100, 1],
    ['limit=1', 'stale', 10_000, 100, 15],
    ['limit=499', 'stale', 1, 100, 100],
    ['limit=499', 1, 0, 100, 15],
    ['resourceVersion=0&limit=499', 1, 0, 100, 10],
    ['fieldSelector=metadata.name%3Dtest', 799, 200_000, 100, 2, 'list', 'test'],
    ['fieldSelector=metadata.name%3Dtest', 799, 1_500_000, 100, 15, 'list', 'test'],
    ['fieldSelector=metadata.name%3Dtest&limit=500&resourceVersion=0', 799, 200_000, 100, 2, 'list', 'test'],
    ['fieldSelector=metadata.name%3Dtest&limit=500&resourceVersion=0', 799, 1_500_000, 100, 10, 'list', 'test'],
    ['labelSelector=app%3Dtest', 799, 10_000, 100, 80],
    ['labelSelector=app%3Dtest&limit=49', 799, 10_000, 100, 40],
    ['labelSelector=app%3Dtest&limit=699', 799, 10_000, 100, 70],
    ['resourceVersion=0&labelSelector=app%3Dtest', 799, 10_000, 100, 10],
    ['resourceVersion=0&labelSelector=app%3Dtest&limit=29', 799, 10_000, 100, 3],
    ['watch=true', 799, 10_000, 0, 1, 'watch'],
    ['watch=true&sendInitialEvents=false', 799, 10_000, 100, 1, 'watch'],
    ['watch=true&sendInitialEvents=true', 799, 1_000, 100, 8, 'watch'],
  ]
  for (const [query, stored, bytes, most, seats, verb = 'list', name = ''] of BY_SIZE)
    it(`estimates by size a ${verb} ?${query} of ${stored} with ${bytes} bytes each and a maximum of ${most}: ${seats}`, () => {
      const request = requestOf('alice', { verb, group: 'foo.bar', resource: 'events', name }, query)
      expect(estimateWork(request, 0, most, { ...OPTIONS, countOf: () => stored, bytesOf: () => bytes }).initialSeats).to.equal(seats)
    })

  it('counts a list of the latest state as cached if the gate is on', () => {
    const options = { ...OPTIONS, countOf: () => 399, consistentReadsFromCache: true }
    expect(estimateWork(requestOf('alice', { verb: 'list', resource: 'events' }), 0, 10, options).initialSeats).to.equal(4)
  })
  it('estimates a list of one object as one seat', () => {
    const options = { ...OPTIONS, countOf: () => 799 }
    expect(
      estimateWork(requestOf('alice', { verb: 'list', resource: 'events', name: 'x' }, 'limit=500'), 0, 10, options).initialSeats,
    ).to.equal(1)
  })

  const WATCHES: [query: string, watchList: boolean, seats: number][] = [
    ['watch=true', true, 1],
    ['watch=true&sendInitialEvents=false', true, 1],
    ['watch=true&sendInitialEvents=true', true, 8],
    ['watch=true&sendInitialEvents=true', false, 1],
  ]
  for (const [query, watchList, seats] of WATCHES)
    it(`estimates a watch ?${query}${watchList ? '' : ' without the gate'}: ${seats}`, () => {
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
    it(`estimates a watch ?${query}: ${since135} from 1.35 on`, () => {
      const seats = (countsLegacyWatches: boolean) =>
        estimateWork(requestOf('alice', { verb: 'watch', resource: 'events' }, query), 0, 0, {
          ...OPTIONS,
          countOf: () => 799,
          countsLegacyWatches,
        }).initialSeats
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
      it(`estimates ${verb} with ${watches} watches and a maximum of ${most}: ${finalSeats} for ${additionalLatencyMs} ms`, () =>
        expect(estimateWork(requestOf('alice', { verb, resource: 'foos' }), watches, most, OPTIONS)).to.deep.equal({
          initialSeats: 1,
          finalSeats,
          additionalLatencyMs,
        }))

  it('recognises requests that cause events', () => {
    expect(makesEvents(requestOf('alice', { verb: 'create', resource: 'serviceaccounts' }).info)).to.equal(true)
    expect(makesEvents(requestOf('alice', { verb: 'create', resource: 'serviceaccounts', subresource: 'token' }).info)).to.equal(false)
    expect(makesEvents(requestOf('alice', { verb: 'get', resource: 'foos' }).info)).to.equal(false)
  })
})
