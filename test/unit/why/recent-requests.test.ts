import { expect } from 'chai'
import { nonResourceAttributes } from '../../../src/meta/request-attributes.ts'
import { type FollowedRequest, RecentRequests } from '../../../src/why/recent-requests.ts'

type Request = { -readonly [member in keyof FollowedRequest]: FollowedRequest[member] }

const request = (more: Partial<FollowedRequest> = {}): Request => ({
  why: undefined,
  auditId: 'a',
  method: 'GET',
  path: '/api',
  uri: '/api',
  receivedAt: Date.parse('2030-01-01T00:00:00Z'),
  userAgent: 'test',
  remoteAddress: '127.0.0.1',
  isHttp2: false,
  isParsed: true,
  longRunning: false,
  info: { ...nonResourceAttributes('get', '/api'), isResource: false },
  user: { name: 'jane', groups: [] },
  status: 200,
  received: -1,
  sent: 5,
  elapsed: () => 1.5,
  ...more,
})

const listed = (recent: RecentRequests, limit = 1000): string[] => recent.list({ limit }).map(text => JSON.parse(text).auditID)

describe('RecentRequests', () => {
  it('keeps requests with their steps', async () => {
    const recent = new RecentRequests(10, ['RBAC'])
    const one = request()
    await recent.follow(one, async () => {
      one.why?.note({ step: 'warning', text: 'w' })
      await Promise.resolve()
      recent.notes()?.note({ step: 'warning', text: 'of the running work' })
    })
    const why = recent.find('a')
    expect(why?.steps.map(step => 'text' in step && step.text)).to.deep.equal(['w', 'of the running work'])
    expect(why).to.include({ kind: 'Why', user: 'jane', status: 200, milliseconds: 1.5, bytes: 5, time: '2030-01-01T00:00:00.000Z' })
    expect(recent.notes()).to.equal(undefined)
    one.why?.note({ step: 'warning', text: 'too late' })
    expect(recent.find('a')?.steps).to.have.length(2)
  })

  it('keeps failed requests, and streaming ones once', async () => {
    const recent = new RecentRequests(10, [])
    const failing = recent.follow(request({ auditId: 'thrown', status: 0 }), () => Promise.reject(new Error('x')))
    await failing.catch(error => expect(error.message).to.equal('x'))
    const open = request({ auditId: 'open' })
    await recent.follow(open, async () => {
      open.why?.begins('application/json')
      expect(recent.find('open')).to.not.have.property('milliseconds')
    })
    expect(listed(recent)).to.deep.equal(['open', 'thrown'])
    expect(recent.find('open')).to.include({ milliseconds: 1.5 })
    expect(recent.list({ limit: 5, failed: true })).to.have.length(1)
  })

  it('ignores health checks and requests for records', async () => {
    const recent = new RecentRequests(10, [])
    for (const path of ['/healthz', '/readyz/etcd', '/livez', '/binnacle/v1/why', '/binnacle/v1/why/a'])
      await recent.follow(request({ path }), async () => {})
    expect(recent.count).to.equal(0)
  })

  it('returns at most the requested number, and the latest record of an audit ID', async () => {
    const recent = new RecentRequests(3, [])
    for (const auditId of ['a', 'b', 'c', 'd', 'c'])
      await recent.follow(request({ auditId, status: auditId === 'c' ? 200 + recent.count : 200 }), async () => {})
    expect(listed(recent)).to.deep.equal(['c', 'd', 'c'])
    expect(recent.find('a')).to.equal(undefined)
    expect(recent.find('c')?.status).to.equal(203)
    expect(listed(recent, 1)).to.deep.equal(['c'])
  })

  it('bounds the size of records', async () => {
    const recent = new RecentRequests(100_000, [])
    const long = 'x'.repeat(100_000)
    const many = Array.from({ length: 4000 }, () => long.slice(0, 1000))
    const floods = request({ auditId: 'flood' })
    await recent.follow(floods, async () => {
      for (let i = 0; i < 2000; i++) floods.why?.note({ step: 'dropped', because: 'unknown field', fields: many })
    })
    const size = (): number => JSON.stringify(recent.find('flood')).length
    expect(size()).to.be.below(100_000)
    expect(recent.find('flood')?.omittedSteps).to.be.above(1900)
    for (let i = 0; i < 6000; i++) {
      const one = request({ auditId: `${i}`, uri: `/api?labelSelector=${long}`, userAgent: long, user: { name: long, groups: [] } })
      await recent.follow(one, async () => one.why?.note({ step: 'warning', text: long }))
    }
    expect(recent.count).to.be.within(1000, 5000)
    expect(listed(recent, 6000).reduce((sum, id) => sum + JSON.stringify(recent.find(id)).length, 0)).to.be.below(16 * 1024 * 1024)
  })
})
